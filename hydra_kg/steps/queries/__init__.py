"""Turn a question into a query over the tables of a store and execute it, with the facts behind its answers."""

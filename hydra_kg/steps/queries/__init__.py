"""From a question to a query over the tables of a store, carried out, with the facts behind its answers."""

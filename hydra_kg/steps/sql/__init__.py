"""A query in SQL that a model writes over the tables of a store, read as the query that questions are read as."""

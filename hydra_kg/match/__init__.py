"""One thing under several names: which rows of feeds are the same thing (entity resolution by Splink on DuckDB)."""

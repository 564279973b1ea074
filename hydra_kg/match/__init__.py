"""Entity resolution: find the rows of feeds that are the same thing under several names (by Splink on DuckDB)."""

"""The loader of CSV, TSV, JSON, XML and Parquet tables, with its mapping of columns."""

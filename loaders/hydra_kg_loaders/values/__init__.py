"""Rewrite the cells of staged tables: missing values, numbers as people write them, days in local order."""

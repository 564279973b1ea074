"""Tables that belong together, from folders, workbooks and databases, as one graph."""

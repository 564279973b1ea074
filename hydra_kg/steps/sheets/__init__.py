"""Questions about one sheet: operators over its rows in the order of the file, ranked by learned weights."""

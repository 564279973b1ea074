"""The Wikipedia loader: dumps read in pieces, wikitext cleaned."""

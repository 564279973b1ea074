"""Formats that several loaders read: archives, N-Triples, and terms as SQL expressions."""

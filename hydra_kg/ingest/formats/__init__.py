"""Archives, N-Triples, and terms as SQL expressions: what several loaders read."""

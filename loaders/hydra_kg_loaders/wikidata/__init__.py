"""The Wikidata loaders: truthy N-Triples and JSON dumps."""

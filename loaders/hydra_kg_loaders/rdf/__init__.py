"""The loader of RDF files, parsed by rdflib in a guarded process."""

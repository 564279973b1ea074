"""The loader of RDF files, parsed in a sandboxed process."""

"""Export one answer in standard formats: PROV, RDF, GraphML, CSV; and run SPARQL over such a file."""

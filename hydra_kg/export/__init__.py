"""One answer in the formats of others: PROV, RDF, GraphML, CSV; and SPARQL over such a file."""

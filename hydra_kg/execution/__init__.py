"""Execute grounded queries of the algebra over the columns of the user's own graphs, tables and RDF alike."""

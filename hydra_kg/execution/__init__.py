"""Execute grounded queries of the algebra over the columns of own graphs: tables and RDF alike."""

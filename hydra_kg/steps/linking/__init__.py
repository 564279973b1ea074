"""Names of a question linked to entities: mention spans, candidates, unknown names."""

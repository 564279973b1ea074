"""What a snapshot of the embedded store answers: names, entities, cuts, facts, passages."""

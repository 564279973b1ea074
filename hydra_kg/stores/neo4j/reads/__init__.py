"""What a snapshot of the Neo4j store answers: names, entities, cuts, facts, passages."""

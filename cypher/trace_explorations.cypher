// The phases of a question.
// Parameters: question, rows (properties). Columns: none.
MATCH (q:HydraQuestion {id: $question})
UNWIND $rows AS row
CREATE (q)-[:RAN {i: row.i}]->(x:HydraExploration)
SET x = row

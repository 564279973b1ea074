// The phases of a question.
// Parameters: question, rows (properties). Columns: none.
MATCH (q:Question {id: $question})
UNWIND $rows AS row
CREATE (q)-[:RAN {i: row.i}]->(x:Exploration)
SET x = row

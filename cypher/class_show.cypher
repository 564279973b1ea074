// Show the class of nodes on them, for people who browse; the store itself reads classes by generation.
// Parameters: rows (id, representative). Columns: none.
UNWIND $rows AS row
MATCH (n:HydraEntity {id: row[0]})
SET n.cls = row[1]

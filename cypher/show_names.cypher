// Show a name on nodes that show none, for people who browse; the store itself reads names by load.
// Parameters: rows (node, text). Columns: none.
UNWIND $rows AS row
MATCH (n:HydraEntity {id: row[0]})
SET n.name = coalesce(n.name, row[1])

// Accepted same-as links of a load.
// Parameters: load, rows (id, id, line). Columns: none.
UNWIND $rows AS row
MATCH (a:HydraEntity {id: row[0]})
MATCH (b:HydraEntity {id: row[1]})
CREATE (a)-[:SAME_AS {load: $load, loc: row[2]}]->(b)

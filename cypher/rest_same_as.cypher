// The same-as links of a load among some nodes.
// Parameters: load, ids. Columns: a, b, line.
UNWIND $ids AS id
MATCH (a:HydraEntity {id: id})-[r:SAME_AS]->(b)
WHERE r.load = $load
RETURN id AS a, b.id AS b, r.loc AS line ORDER BY a, b

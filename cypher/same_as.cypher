// The same-as links of some loads.
// Parameters: loads. Columns: lists a, b.
MATCH (a:Entity)-[r:SAME_AS]->(b:Entity) WHERE r.load IN $loads
RETURN collect(a.id) AS a, collect(b.id) AS b

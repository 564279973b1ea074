// The same-as links of some loads.
// Parameters: loads. Columns: lists a, b.
MATCH (a:HydraEntity)-[r:SAME_AS]->(b:HydraEntity) WHERE r.load IN $loads
RETURN collect(a.id) AS a, collect(b.id) AS b

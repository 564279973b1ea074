// Texts of node ids.
// Parameters: ids. Columns: lists id, key.
UNWIND $ids AS id
MATCH (n:HydraEntity {id: id})
RETURN collect(id) AS id, collect(coalesce(n.long, n.key)) AS key

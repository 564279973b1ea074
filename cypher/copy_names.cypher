// The names and descriptions of some nodes in a load.
// Parameters: load, ids. Columns: node, kind, text.
UNWIND $ids AS id
MATCH (x:HydraName {node: id})
WHERE x.load = $load
RETURN id AS node, x.kind AS kind, x.text AS text

// All names and descriptions of a load.
// Parameters: load. Columns: node, kind, text.
MATCH (x:HydraName) WHERE x.load = $load
RETURN x.node AS node, x.kind AS kind, x.text AS text

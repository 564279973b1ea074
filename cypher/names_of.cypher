// Names, aliases, titles (kinds 0, 1, 2) and descriptions (3) of nodes.
// Parameters: ids, loads. Columns: node, load, kind, text.
MATCH (x:HydraName) USING INDEX x:HydraName(node) WHERE x.node IN $ids AND x.load IN $loads
RETURN x.node AS node, x.load AS load, x.kind AS kind, x.text AS text

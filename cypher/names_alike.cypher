// All names, aliases and titles that a load has of some nodes, with how many facts they have.
// Parameters: load, ids. Columns: node, kind, text, fold, fame (the negative number of facts).
MATCH (x:HydraName) USING INDEX x:HydraName(node) WHERE x.node IN $ids AND x.load = $load AND x.kind < 3
RETURN x.node AS node, x.kind AS kind, x.text AS text, x.fold AS fold, x.fame AS fame

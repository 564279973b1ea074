// A page of a load's names, aliases and titles, folded, in the order of their nodes.
// Parameters: load, after (node), limit. Columns: node, fold.
MATCH (x:HydraName) USING INDEX x:HydraName(node) WHERE x.node > $after AND x.load = $load AND x.kind < 3
RETURN x.node AS node, x.fold AS fold ORDER BY x.node LIMIT $limit

// The facts at all nodes within some steps of others, found by apoc.path.subgraphAll and grouped as in expand.cypher; a
// way to choose for cuts (retrieval.server_cut).
// Requires: APOC. Parameters: ids; depth; nodes (most that are looked at); most (relationships over which a node is left
// out). Columns: type, forward, lists near, far (node ids), handle.
UNWIND $ids AS id
MATCH (a:HydraEntity {id: id})
WITH collect(a) AS starts
CALL apoc.path.subgraphAll(starts, {maxLevel: $depth, labelFilter: '+HydraEntity', limit: $nodes}) YIELD nodes
UNWIND nodes AS b
WITH DISTINCT b WHERE COUNT { (b)--() } <= $most
MATCH (b)-[r]-(c)
WITH b, r, c, CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS type
WHERE r.h IS :: INTEGER NOT NULL AND b.id IS :: INTEGER NOT NULL
RETURN type, startNode(r) = b AS forward, collect(b.id) AS near, collect(c.id) AS far, collect(r.h) AS handle

// The hops of paths, in order; each points at what it leads to: a node of the graph, or a mention of what it lacks.
// FROM is where a path starts, VIA a mediator that it passes.
// Parameters: starts and vias (path: id, node: id), rows (path: id, node: id, hop: properties). Columns: none.
CALL () {
  UNWIND $starts AS row
  MATCH (w:HydraPath {id: row.path})
  OPTIONAL MATCH (e:HydraEntity {id: row.node})
  OPTIONAL MATCH (m:HydraMention {id: row.node})
  WITH w, coalesce(e, m) AS start
  CREATE (w)-[:FROM]->(start)
}
CALL () {
  UNWIND $vias AS row
  MATCH (w:HydraPath {id: row.path})
  OPTIONAL MATCH (e:HydraEntity {id: row.node})
  OPTIONAL MATCH (m:HydraMention {id: row.node})
  WITH w, coalesce(e, m) AS via
  CREATE (w)-[:VIA]->(via)
}
UNWIND $rows AS row
MATCH (w:HydraPath {id: row.path})
OPTIONAL MATCH (e:HydraEntity {id: row.node})
OPTIONAL MATCH (m:HydraMention {id: row.node})
WITH w, row, coalesce(e, m) AS end
CREATE (w)-[h:HOP]->(end)
SET h = row.hop

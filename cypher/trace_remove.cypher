// Remove a kept answer, and what only it pointed at: mentions, documents, sources that nothing is loaded of, and nodes
// that no load knows any more.
// Parameters: id. Columns: removed (1, or 0 if there is none).
OPTIONAL MATCH (q:HydraQuestion {id: $id})
OPTIONAL MATCH (k:HydraKeptAnswer {id: $id})
CALL (q) {
  OPTIONAL MATCH (q)-[:RAN|ANSWERED]->(n)
  RETURN collect(DISTINCT n) AS own
}
CALL (own) {
  UNWIND own AS n
  OPTIONAL MATCH (n)-[:FOUND|BECAUSE|HEARD|BACKED_BY|OPPOSED_BY]->(w:HydraPath|HydraClaim|HydraFinding)
  RETURN collect(DISTINCT w) AS paths
}
CALL (q, own, paths) {
  UNWIND [q] + own + paths AS n
  MATCH (n)-[:USED|IS|FROM|VIA|HOP|CITES|SAID_IN|ABOUT|SAYS_1|SAYS_2|SAYS_3|SAYS_4|SAYS_5]->(t)
  RETURN collect(DISTINCT t) AS touched
}
FOREACH (n IN [q, k] + own + paths | DETACH DELETE n)
WITH q, touched
CALL (touched) {
  UNWIND touched AS t
  WITH t WHERE NOT EXISTS { (t)--() } AND (t:HydraMention OR t:HydraDocument OR t:HydraSource OR (t:HydraEntity AND size(t.parts) = 0))
  DELETE t
}
RETURN count(q) AS removed

// The explored graph of a question, for Neo4j Browser: its phases, the best kept and pruned paths of each, where the
// kept ones lead, the answers and what texts say for and against them, who says what of an attribute that was judged, and the facts that link what stands on a
// path.
// Parameters: id, paths (so many kept and so many pruned ones of each phase). Columns: p (paths).
MATCH (q:HydraQuestion {id: $id})
CALL (q) {
  MATCH p = (q)-[:RAN]->()-[f:FOUND]->()-[:FROM|VIA|HOP*0..1]->() WHERE f.place <= $paths AND (f.kept OR length(p) = 2)
  RETURN p
  UNION
  MATCH p = (q)-[:RAN]->()-[:HEARD]->()-->()
  RETURN p
  UNION
  MATCH p = (q)-[:ANSWERED|IS|BECAUSE*0..2]->()
  RETURN p
  UNION
  MATCH p = (q)-[:ANSWERED]->()-[:BACKED_BY|OPPOSED_BY]->()-[:SAID_IN]->()
  RETURN p
  UNION
  MATCH (q)-[:RAN]->()-[f:FOUND]->(w) WHERE f.place <= $paths AND f.kept
  MATCH (w)-[:FROM|VIA|HOP]->(a)
  WITH DISTINCT w, a
  MATCH (w)-[:FROM|VIA|HOP]->(b)
  WITH DISTINCT w, a, b
  MATCH p = (a)-[k]->(b) WHERE k.fid IN w.fids
  RETURN p
}
RETURN p

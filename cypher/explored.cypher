// The explored graph of a question, for Neo4j Browser: its phases, the best kept and pruned paths of each, where the
// kept ones lead, the answers and what texts say for and against them, who says what of an attribute that was judged,
// and the facts that link the nodes of a path. Relationship types that not every answer has are compared as strings:
// in a pattern, Browser warns of each that a fresh database lacks.
// Parameters: id, paths (so many kept and so many pruned ones of each phase). Columns: p (paths).
MATCH (q:HydraQuestion {id: $id})
CALL (q) {
  MATCH p = (q)-[:RAN]->()-[f:FOUND]->()-[steps*0..1]->()
  WHERE f.place <= $paths AND (f.kept OR length(p) = 2) AND all(s IN steps WHERE type(s) IN ['FROM', 'VIA', 'HOP'])
  RETURN p
  UNION
  MATCH p = (q)-[:RAN]->()-[h]->()-->() WHERE type(h) = 'HEARD'
  RETURN p
  UNION
  MATCH p = (q)-[steps*0..2]->() WHERE all(s IN steps WHERE type(s) IN ['ANSWERED', 'IS', 'BECAUSE'])
  RETURN p
  UNION
  MATCH p = (q)-[a]->()-[b]->()-[s]->()
  WHERE type(a) = 'ANSWERED' AND type(b) IN ['BACKED_BY', 'OPPOSED_BY'] AND type(s) = 'SAID_IN'
  RETURN p
  UNION
  MATCH (q)-[:RAN]->()-[f:FOUND]->(w) WHERE f.place <= $paths AND f.kept
  MATCH (w)-[s]->(a) WHERE type(s) IN ['FROM', 'VIA', 'HOP']
  WITH DISTINCT w, a
  MATCH (w)-[s]->(b) WHERE type(s) IN ['FROM', 'VIA', 'HOP']
  WITH DISTINCT w, a, b
  MATCH p = (a)-[k]->(b) WHERE k.fid IN w.fids
  RETURN p
}
RETURN p

// The sources that paths cite. Those that the store has stay as they are.
// Parameters: sources (maps with a name, of what only a push knows), rows (path: id, source: name, cites: properties).
// Columns: none.
CALL () {
  UNWIND $sources AS source
  MERGE (s:HydraSource {name: source.name})
    ON CREATE SET s += source
}
UNWIND $rows AS row
MERGE (s:HydraSource {name: row.source})
WITH row, s
MATCH (w:HydraPath {id: row.path})
CREATE (w)-[c:CITES]->(s)
SET c = row.cites

// The sources that paths cite. Those that the store has stay as they are.
// Parameters: sources (maps with a name, of what only a push knows), rows (path: id, source: name, cites: properties).
// Columns: none.
CALL () {
  UNWIND $sources AS source
  MERGE (s:Source {name: source.name})
    ON CREATE SET s += source
}
UNWIND $rows AS row
MERGE (s:Source {name: row.source})
WITH row, s
MATCH (w:Path {id: row.path})
CREATE (w)-[c:CITES]->(s)
SET c = row.cites

// Put the sources of a load into the graph: part of the flip.
// Parameters: id, sources (maps with a name). Columns: none.
MATCH (l:HydraLoad {id: $id})
UNWIND $sources AS source
MERGE (s:HydraSource {name: source.name})
SET s += source
MERGE (l)-[:STATES]->(s)

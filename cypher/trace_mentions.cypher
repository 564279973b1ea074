// What paths name and the graph does not hold: values, and entities of another store. Questions share them.
// Parameters: rows (id, properties, more: what only a push knows). Columns: none.
UNWIND $rows AS row
MERGE (m:HydraMention {id: row.id})
  ON CREATE SET m += row.properties
SET m += row.more

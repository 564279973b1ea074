// Nodes of a load: made where they are new, and what the load says about each in numbers.
// Parameters: rows (id, key, whole key if it was shortened, part, is a mediator). Columns: none.
UNWIND $rows AS row
MERGE (n:HydraEntity {id: row[0]})
  ON CREATE SET n.key = row[1]
SET n.parts = coalesce(n.parts, []) + row[3]
FOREACH (whole IN CASE WHEN row[2] IS NULL THEN [] ELSE [row[2]] END | SET n.long = whole)
FOREACH (key IN CASE WHEN n.key = '' AND row[1] <> '' THEN [row[1]] ELSE [] END | SET n.key = key)
FOREACH (mediator IN CASE WHEN row[4] THEN [1] ELSE [] END | SET n:HydraMediator)

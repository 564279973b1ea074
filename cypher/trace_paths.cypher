// The paths that the phases of a question found, kept and pruned.
// Parameters: rows (exploration: id or null, found: properties with the scores, path: properties). Columns: none.
UNWIND $rows AS row
CREATE (w:HydraPath)
SET w = row.path
FOREACH (pruned IN CASE WHEN row.path.kept THEN [] ELSE [1] END | SET w:HydraPruned)
WITH w, row
MATCH (x:HydraExploration {id: row.exploration})
CREATE (x)-[f:FOUND]->(w)
SET f = row.found

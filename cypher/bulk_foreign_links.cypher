// Relationships that others made between our nodes: an import makes a new database, without them. Facts of ours have a
// handle, those of a pushed exploration say so, and the rest is known by its type.
// Scans: AllRelationshipsScan (an import reads far more). Parameters: types (that ours without a handle have).
// Columns: relationships, types (of them, at most five).
MATCH ()-[r]->()
WHERE NOT r.h IS :: INTEGER NOT NULL AND r.pushed IS NULL AND NOT type(r) IN $types
RETURN count(*) AS relationships, collect(DISTINCT type(r))[..5] AS types

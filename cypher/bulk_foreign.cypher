// What is in the database that is not ours: an import makes a new database, without it.
// Scans: AllNodesScan (an import reads far more). Parameters: labels (that only ours have).
// Columns: nodes, labels (of them, at most five).
MATCH (n)
WHERE size(labels(n)) = 0 OR any(label IN labels(n) WHERE NOT label IN $labels)
WITH count(*) AS nodes, collect(DISTINCT labels(n)) AS found
RETURN nodes, reduce(flat = [], each IN found | flat + each)[..5] AS labels

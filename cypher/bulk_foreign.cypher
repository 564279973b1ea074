// What is in the database that is not ours, or cannot be shown to be: an import makes a new database, without it.
// Ours have labels of ours alone, and our entities an id that is a number.
// Scans: AllNodesScan (an import reads far more). Parameters: labels (all that ours have).
// Columns: nodes, labels (of them, at most five).
MATCH (n)
WHERE size(labels(n)) = 0 OR any(label IN labels(n) WHERE NOT label IN $labels)
   OR (n:Entity AND NOT n.id IS :: INTEGER NOT NULL) OR (n:Load AND n.beat IS NULL)
WITH count(*) AS nodes, collect(DISTINCT labels(n)) AS found
RETURN nodes, reduce(flat = [], each IN found | flat + each)[..5] AS labels

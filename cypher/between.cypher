// The facts from one node to another, for many pairs.
// Parameters: pairs (place, subject id, object id). Columns: place, type, handle.
UNWIND $pairs AS pair
MATCH (a:HydraEntity {id: pair[1]})
MATCH (b:HydraEntity {id: pair[2]})
MATCH (a)-[r]->(b)
WHERE r.h IS :: INTEGER NOT NULL
RETURN pair[0] AS place, CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS type, r.h AS handle

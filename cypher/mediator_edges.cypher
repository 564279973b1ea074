// All facts at mediators, for the two-leg relations through them. Runs once a generation.
// Scans: HydraMediator. Parameters: also (nodes that are not labelled but may count as mediators, too). Columns: type; lists mediator, other, handle, forward (the mediator is the object).
MATCH (m:HydraMediator)-[r]-(b)
WHERE r.h IS :: INTEGER NOT NULL AND b.id IS :: INTEGER NOT NULL
RETURN CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS type, collect(m.id) AS mediator, collect(b.id) AS other, collect(r.h) AS handle,
       collect(endNode(r) = m) AS forward
UNION ALL
UNWIND $also AS id
MATCH (m:HydraEntity {id: id})-[r]-(b)
WHERE NOT m:HydraMediator AND r.h IS :: INTEGER NOT NULL AND b.id IS :: INTEGER NOT NULL
RETURN CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS type, collect(m.id) AS mediator, collect(b.id) AS other, collect(r.h) AS handle,
       collect(endNode(r) = m) AS forward

// The facts at nodes, of all loads, grouped by predicate and direction. Many open predicates share the type STATES.
// Parameters: ids; types (predicates, or null for all); TYPES: relationship types, where few enough to be literal.
// Columns: type, forward (the given nodes are the subjects); lists near, far (node ids), handle.
UNWIND $ids AS id
MATCH (a:HydraEntity {id: id})-[r/*TYPES*/]-(b)
WITH id, a, r, b, CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS type
WHERE ($types IS NULL OR type IN $types) AND r.h IS :: INTEGER NOT NULL AND b.id IS :: INTEGER NOT NULL
RETURN type, startNode(r) = a AS forward, collect(id) AS near, collect(b.id) AS far, collect(r.h) AS handle

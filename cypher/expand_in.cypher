// The facts whose objects are given, of all loads, grouped by predicate.
// Parameters: ids; types (predicates, or null for all); TYPES: the same, where they are few enough to be literal.
// Columns: type; lists near, far (node ids), handle.
UNWIND $ids AS id
MATCH (a:Entity {id: id})<-[r/*TYPES*/]-(b)
WHERE ($types IS NULL OR type(r) IN $types) AND r.h IS NOT NULL
RETURN type(r) AS type, collect(id) AS near, collect(b.id) AS far, collect(r.h) AS handle

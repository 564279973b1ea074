// The facts whose objects are given, of all loads, grouped by predicate.
// Parameters: ids; TYPES: the predicates, or none for all. Columns: type; lists near, far (node ids), handle.
UNWIND $ids AS id
MATCH (a:Entity {id: id})<-[r/*TYPES*/]-(b)
WHERE r.h IS NOT NULL
RETURN type(r) AS type, collect(id) AS near, collect(b.id) AS far, collect(r.h) AS handle

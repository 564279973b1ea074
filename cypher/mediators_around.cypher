// The mediators next to nodes, with the loads that say so.
// Parameters: ids, span (handles of one load). Columns: id, load.
UNWIND $ids AS id
MATCH (a:Entity {id: id})-[r]-(b:Mediator)
WHERE r.h IS NOT NULL
RETURN DISTINCT b.id AS id, r.h / $span AS load

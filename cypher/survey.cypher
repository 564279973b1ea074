// How many facts nodes have, per predicate, and which mediators are next to them: before a budget bites. A fact
// between two of the nodes counts twice.
// Parameters: ids, span (handles of one load). Columns: type, facts, mediators (list of [node id, load]).
UNWIND $ids AS id
MATCH (a:Entity {id: id})-[r]-(b)
WHERE r.h IS NOT NULL
RETURN type(r) AS type, count(*) AS facts,
       collect(DISTINCT CASE WHEN b:Mediator THEN [b.id, r.h / $span] END) AS mediators

// How many facts nodes have, per predicate: before a budget bites. A fact between two of the nodes counts twice.
// Parameters: ids. Columns: type, facts.
UNWIND $ids AS id
MATCH (a:Entity {id: id})-[r]-()
WHERE r.h IS NOT NULL
RETURN type(r) AS type, count(*) AS facts

// What nodes are linked to as their types.
// Parameters: ids. Columns: node, type (node id), handle.
UNWIND $ids AS id
MATCH (n:Entity {id: id})-[r:`P31`|`type.object.type`|`http://www.w3.org/1999/02/22-rdf-syntax-ns#type`]->(t)
WHERE r.h IS NOT NULL
RETURN id AS node, t.id AS type, r.h AS handle

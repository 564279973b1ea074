// What nodes are linked to as their types, whether or not these predicates share the type STATES.
// Parameters: ids. Columns: node, type (node id), handle.
UNWIND $ids AS id
MATCH (n:HydraEntity {id: id})-[r:`P31`|`type.object.type`|`http://www.w3.org/1999/02/22-rdf-syntax-ns#type`|STATES]->(t)
WHERE r.h IS :: INTEGER NOT NULL AND t.id IS :: INTEGER NOT NULL AND (type(r) <> 'STATES' OR r.p IN ['P31', 'type.object.type', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'])
RETURN id AS node, t.id AS type, r.h AS handle

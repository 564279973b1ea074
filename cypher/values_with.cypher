// The literal facts of nodes with certain predicates (types).
// Parameters: ids, loads, predicates (ids). Columns: subject, object (key).
MATCH (v:HydraValue) USING INDEX v:HydraValue(subject) WHERE v.subject IN $ids AND v.load IN $loads AND v.p IN $predicates
RETURN v.subject AS subject, v.o AS object

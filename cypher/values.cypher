// The literal facts of nodes.
// Parameters: ids, loads. Columns: subject, load, row, predicate (id), object (key).
MATCH (v:HydraValue) USING INDEX v:HydraValue(subject) WHERE v.subject IN $ids AND v.load IN $loads
RETURN v.subject AS subject, v.load AS load, v.row AS row, v.p AS predicate, v.o AS object

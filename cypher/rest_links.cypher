// The facts of one chunk of a load.
// Parameters: ids (subjects), low, high (handles). Columns: handle, subject, object (ids), predicate (type), source, line, rank, confidence, qualifiers.
UNWIND $ids AS id
MATCH (a:Entity {id: id})-[r]->(b)
WHERE $low <= r.h AND r.h < $high
RETURN r.h AS handle, id AS subject, b.id AS object, type(r) AS predicate, r.source AS source, r.loc AS line,
       r.rank AS rank, r.conf AS confidence, r.qualifiers AS qualifiers ORDER BY r.h

// The facts of one chunk of a load.
// Parameters: ids (subjects), low, high (handles). Columns: handle, subject, object (ids), predicate (type), source, line, rank, confidence, qualifiers, locator.
UNWIND $ids AS id
MATCH (a:HydraEntity {id: id})-[r]->(b)
WHERE $low <= r.h AND r.h < $high
RETURN r.h AS handle, id AS subject, b.id AS object, CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS predicate, r.source AS source, r.loc AS line,
       r.rank AS rank, r.conf AS confidence, r.qualifiers AS qualifiers, r.at AS locator ORDER BY r.h

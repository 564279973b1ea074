// Facts with their provenance, by handle: the chunk of a load knows the subject of each of its rows.
// Parameters: chunks (load, n of the chunk, first row, rows). Columns: handle, fid, subject, predicate, object, source, line, rank, confidence, qualifiers, locator.
UNWIND $chunks AS chunk
MATCH (c:HydraLoadChunk {load: chunk.load, n: chunk.n})
WITH chunk, c.subjects AS subjects
UNWIND chunk.rows AS row
WITH subjects[row - chunk.first] AS id, collect(chunk.base + row) AS handles
MATCH (a:HydraEntity {id: id})-[r]->(b)
WHERE r.h IN handles AND r.fid IS :: INTEGER NOT NULL
RETURN r.h AS handle, r.fid AS fid, coalesce(a.long, a.key) AS subject, CASE type(r) WHEN 'STATES' THEN coalesce(r.p, 'STATES') ELSE type(r) END AS predicate,
       coalesce(b.long, b.key) AS object, r.source AS source, r.loc AS line, r.rank AS rank, r.conf AS confidence,
       r.qualifiers AS qualifiers, r.at AS locator

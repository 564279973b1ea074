// Literal facts with their provenance, by load and row.
// Parameters: load, rows. Columns: row, fid, subject (id), predicate (id), object, source, line, rank, confidence, qualifiers, locator.
MATCH (v:HydraValue) WHERE v.load = $load AND v.row IN $rows
RETURN v.row AS row, v.fid AS fid, v.subject AS subject, v.p AS predicate, v.o AS object, v.source AS source,
       v.loc AS line, v.rank AS rank, v.conf AS confidence, v.qualifiers AS qualifiers, v.at AS locator

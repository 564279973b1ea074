// All literal facts of a load.
// Parameters: load. Columns: row, subject (id), predicate (id), object, source, line, rank, confidence, qualifiers, locator.
MATCH (v:HydraValue) WHERE v.load = $load AND v.row >= 0
RETURN v.row AS row, v.subject AS subject, v.p AS predicate, v.o AS object, v.source AS source, v.loc AS line,
       v.rank AS rank, v.conf AS confidence, v.qualifiers AS qualifiers, v.at AS locator ORDER BY v.row

// Literal facts: one node a fact, found by its subject and not linked to it, so that no cut ever touches one.
// Parameters: load, rows (row, subject id, predicate id, predicate, literal, fid, source, line, rank, confidence,
// qualifiers, locator in words). Columns: none.
UNWIND $rows AS row
CREATE (:HydraValue {load: $load, row: row[0], subject: row[1], p: row[2], predicate: row[3], o: row[4], fid: row[5],
                source: row[6], loc: row[7], rank: row[8], conf: row[9], qualifiers: row[10], at: row[11]})

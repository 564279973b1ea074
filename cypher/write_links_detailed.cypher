// Facts with rank, confidence, qualifiers (JSON) or a locator in words (at) that are not default.
// Parameters: base, rows (subject id, object id, type, row, fid, source, line, predicate where the type is shared, rank, confidence,
// qualifiers, locator). Columns: none.
UNWIND $rows AS row
MATCH (a:HydraEntity {id: row[0]})
MATCH (b:HydraEntity {id: row[1]})
CREATE (a)-[:$(row[2]) {h: $base + row[3], fid: row[4], source: row[5], loc: row[6], p: row[7], rank: row[8],
                        conf: row[9], qualifiers: row[10], at: row[11]}]->(b)

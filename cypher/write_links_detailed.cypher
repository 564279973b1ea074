// Facts with rank, confidence or qualifiers (JSON) that are not default.
// Parameters: base, rows (subject id, object id, type, row, fid, source, line, rank, confidence, qualifiers). Columns: none.
UNWIND $rows AS row
MATCH (a:Entity {id: row[0]})
MATCH (b:Entity {id: row[1]})
CREATE (a)-[:$(row[2]) {h: $base + row[3], fid: row[4], source: row[5], loc: row[6], rank: row[7], conf: row[8],
                        qualifiers: row[9]}]->(b)

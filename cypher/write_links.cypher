// Facts between nodes: one relationship a fact, its type the predicate, or STATES where there are too many.
// Parameters: base (handle of row 0), rows (subject id, [object id, type, row, fid, source, line, predicate where the type is shared]). Columns: none.
UNWIND $rows AS row
MATCH (a:HydraEntity {id: row[0]})
UNWIND row[1] AS fact
MATCH (b:HydraEntity {id: fact[0]})
CREATE (a)-[:$(fact[1]) {h: $base + fact[2], fid: fact[3], source: fact[4], loc: fact[5], p: fact[6]}]->(b)

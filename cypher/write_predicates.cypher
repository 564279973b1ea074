// The predicates of a load.
// Parameters: load, rows (id, key, text, inverse, number of facts). Columns: none.
UNWIND $rows AS row
CREATE (:HydraPredicate {load: $load, id: row[0], key: row[1], text: row[2], inverse: row[3], count: row[4]})

// Words of a load's names with the number of names that hold them.
// Parameters: load, rows (text, count). Columns: none.
UNWIND $rows AS row
CREATE (:HydraWord {load: $load, text: row[0], count: row[1]})

// Stemmed words of a load's passages with the number of passages that hold them.
// Parameters: load, rows (text, count). Columns: none.
UNWIND $rows AS row
CREATE (:HydraPassageWord {load: $load, text: row[0], count: row[1]})

// Names of nodes, folded for linking.
// Parameters: load, rows (node, kind, text, fold, words, fame: the negative number of facts). Columns: none.
UNWIND $rows AS row
CREATE (:HydraName {load: $load, node: row[0], kind: row[1], text: row[2], fold: row[3], words: row[4], fame: row[5]})

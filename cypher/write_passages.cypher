// Passages with their whole text, and their stemmed words for full text.
// Parameters: load, rows (n, node or 0, title, url, text, line, words). Columns: none.
UNWIND $rows AS row
CREATE (:HydraPassage {load: $load, n: row[0], node: row[1], title: row[2], url: row[3], text: row[4], line: row[5],
                  words: row[6]})

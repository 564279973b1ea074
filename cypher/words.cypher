// The words of all names of some loads, for typing errors.
// Parameters: loads. Columns: load; lists text, count (names that hold the word).
MATCH (w:HydraWord) WHERE w.load IN $loads
RETURN w.load AS load, collect(w.text) AS text, collect(w.count) AS count

// In how many passages of a load each of some words stands.
// Parameters: loads, words. Columns: load, text, count.
MATCH (w:HydraPassageWord) WHERE w.load IN $loads AND w.text IN $words
RETURN w.load AS load, w.text AS text, w.count AS count

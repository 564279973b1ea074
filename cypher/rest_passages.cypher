// All passages of a load.
// Parameters: load. Columns: node, title, url, text, line.
MATCH (p:HydraPassage) WHERE p.load = $load AND p.n >= 0
RETURN p.node AS node, p.title AS title, p.url AS url, p.text AS text, p.line AS line ORDER BY p.n

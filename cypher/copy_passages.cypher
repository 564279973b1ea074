// Some passages of a load, in their order.
// Parameters: load, low, high (places). Columns: node, title, url, text, line.
MATCH (p:HydraPassage) WHERE p.load = $load AND $low <= p.n AND p.n < $high
RETURN p.node AS node, p.title AS title, p.url AS url, p.text AS text, p.line AS line ORDER BY p.n

// What the chunks of one stream of a load touch.
// Parameters: load, low, high (numbers of chunks). Columns: n, subjects.
MATCH (c:HydraLoadChunk) WHERE c.load = $load AND $low <= c.n AND c.n < $high
RETURN c.n AS n, c.subjects AS subjects ORDER BY c.n

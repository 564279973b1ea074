// The files that are kept with a load, piece by piece.
// Parameters: load. Columns: name, data.
MATCH (f:HydraLoadFile) WHERE f.load = $load
RETURN f.name AS name, f.data AS data ORDER BY f.name, f.n

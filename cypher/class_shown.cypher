// The classes that nodes show.
// Parameters: none. Columns: lists id, representative.
MATCH (n:HydraEntity) WHERE n.cls IS NOT NULL
RETURN collect(n.id) AS id, collect(n.cls) AS representative

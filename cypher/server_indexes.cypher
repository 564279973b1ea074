// The indexes that have a name of their own, and how far they are.
// Parameters: none. Columns: name, type, state, percent.
SHOW INDEXES YIELD name, type, state, populationPercent
WHERE type <> 'LOOKUP'
RETURN name, type, state, populationPercent AS percent ORDER BY name

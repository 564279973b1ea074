// Whether APOC is installed: its version can only be asked for where it is, so the procedures are looked at.
// Parameters: none. Columns: procedures.
SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'apoc.'
RETURN count(*) AS procedures

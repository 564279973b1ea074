// The version of APOC.
// Requires: APOC. Parameters: none. Columns: version.
RETURN apoc.version() AS version

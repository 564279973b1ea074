// What the server is.
// Parameters: none. Columns: name, version, edition.
CALL dbms.components() YIELD name, versions, edition
RETURN name, versions[0] AS version, edition

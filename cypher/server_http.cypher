// Where the server's HTTP ports are; administrators only.
// Parameters: none. Columns: name, value.
SHOW SETTINGS YIELD name, value
WHERE name IN ['server.http.advertised_address', 'server.https.advertised_address', 'server.https.enabled']
RETURN name, value

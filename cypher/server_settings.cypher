// Memory settings of the server; administrators only.
// Parameters: none. Columns: name, value.
SHOW SETTINGS YIELD name, value WHERE name IN ['server.memory.heap.max_size', 'server.memory.pagecache.size']
RETURN name, value

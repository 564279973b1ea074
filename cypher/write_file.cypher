// A piece of a file that is kept with a load, such as its rejects.
// Parameters: load, name, n, data. Columns: none.
MERGE (f:HydraLoadFile {load: $load, name: $name, n: $n})
SET f.data = $data

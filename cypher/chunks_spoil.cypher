// The chunks of a load are not to be trusted any more: no stage has such a checksum.
// Parameters: load, numbers. Columns: none.
UNWIND $numbers AS n
MATCH (c:HydraLoadChunk {load: $load, n: n})
SET c.check = -1

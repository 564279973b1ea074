// Whether the store is still at a generation, and which of some loads are still whole.
// Parameters: loads (ids). Columns: generation, loads (ids).
OPTIONAL MATCH (s:HydraStore {id: 0})
RETURN coalesce(s.generation, 0) AS generation,
       COLLECT { MATCH (l:HydraLoad) WHERE l.id IN $loads AND NOT coalesce(l.purged, false) RETURN l.id } AS loads

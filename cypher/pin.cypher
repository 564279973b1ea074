// What a reader pins for one question: the generation and the ready loads, from one statement.
// Parameters: none. Columns: generation, loads (id, name, sources, facts, checksum, flipped, file, rows, texts).
OPTIONAL MATCH (s:HydraStore {id: 0})
RETURN coalesce(s.generation, 0) AS generation,
       COLLECT { MATCH (l:HydraLoad {state: 'ready'})
                 RETURN [l.id, l.name, l.sources, l.facts, l.checksum, l.flipped, l.file, l.rows, l.texts] } AS loads

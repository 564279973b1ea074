// How many nodes of each kind an import made, from the counts that the server keeps.
// Parameters: none. Columns: label, nodes.
MATCH (n:Entity) RETURN 'Entity' AS label, count(*) AS nodes
UNION ALL MATCH (n:Mediator) RETURN 'Mediator' AS label, count(*) AS nodes
UNION ALL MATCH (n:Value) RETURN 'Value' AS label, count(*) AS nodes
UNION ALL MATCH (n:Name) RETURN 'Name' AS label, count(*) AS nodes
UNION ALL MATCH (n:Word) RETURN 'Word' AS label, count(*) AS nodes
UNION ALL MATCH (n:Passage) RETURN 'Passage' AS label, count(*) AS nodes
UNION ALL MATCH (n:PassageWord) RETURN 'PassageWord' AS label, count(*) AS nodes
UNION ALL MATCH (n:Predicate) RETURN 'Predicate' AS label, count(*) AS nodes
UNION ALL MATCH (n:Load) RETURN 'Load' AS label, count(*) AS nodes
UNION ALL MATCH (n:LoadChunk) RETURN 'LoadChunk' AS label, count(*) AS nodes
UNION ALL MATCH (n:LoadFile) RETURN 'LoadFile' AS label, count(*) AS nodes
UNION ALL MATCH (n:Source) RETURN 'Source' AS label, count(*) AS nodes
UNION ALL MATCH (n:ClassChunk) RETURN 'ClassChunk' AS label, count(*) AS nodes
UNION ALL MATCH (n:HydraStore) RETURN 'HydraStore' AS label, count(*) AS nodes

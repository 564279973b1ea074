// How many nodes of each kind an import made, from the counts that the server keeps.
// Parameters: none. Columns: label, nodes.
MATCH (n:Entity) WITH count(n) AS nodes RETURN 'Entity' AS label, nodes
UNION ALL MATCH (n:Mediator) WITH count(n) AS nodes RETURN 'Mediator' AS label, nodes
UNION ALL MATCH (n:Value) WITH count(n) AS nodes RETURN 'Value' AS label, nodes
UNION ALL MATCH (n:Name) WITH count(n) AS nodes RETURN 'Name' AS label, nodes
UNION ALL MATCH (n:Word) WITH count(n) AS nodes RETURN 'Word' AS label, nodes
UNION ALL MATCH (n:Passage) WITH count(n) AS nodes RETURN 'Passage' AS label, nodes
UNION ALL MATCH (n:PassageWord) WITH count(n) AS nodes RETURN 'PassageWord' AS label, nodes
UNION ALL MATCH (n:Predicate) WITH count(n) AS nodes RETURN 'Predicate' AS label, nodes
UNION ALL MATCH (n:Load) WITH count(n) AS nodes RETURN 'Load' AS label, nodes
UNION ALL MATCH (n:LoadChunk) WITH count(n) AS nodes RETURN 'LoadChunk' AS label, nodes
UNION ALL MATCH (n:LoadFile) WITH count(n) AS nodes RETURN 'LoadFile' AS label, nodes
UNION ALL MATCH (n:Source) WITH count(n) AS nodes RETURN 'Source' AS label, nodes
UNION ALL MATCH (n:ClassChunk) WITH count(n) AS nodes RETURN 'ClassChunk' AS label, nodes
UNION ALL MATCH (n:HydraStore) WITH count(n) AS nodes RETURN 'HydraStore' AS label, nodes

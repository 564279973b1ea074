// How many nodes of each kind an import made, from the counts that the server keeps.
// Parameters: none. Columns: label, nodes.
MATCH (n:HydraEntity) WITH count(n) AS nodes RETURN 'HydraEntity' AS label, nodes
UNION ALL MATCH (n:HydraMediator) WITH count(n) AS nodes RETURN 'HydraMediator' AS label, nodes
UNION ALL MATCH (n:HydraValue) WITH count(n) AS nodes RETURN 'HydraValue' AS label, nodes
UNION ALL MATCH (n:HydraName) WITH count(n) AS nodes RETURN 'HydraName' AS label, nodes
UNION ALL MATCH (n:HydraWord) WITH count(n) AS nodes RETURN 'HydraWord' AS label, nodes
UNION ALL MATCH (n:HydraPassage) WITH count(n) AS nodes RETURN 'HydraPassage' AS label, nodes
UNION ALL MATCH (n:HydraPassageWord) WITH count(n) AS nodes RETURN 'HydraPassageWord' AS label, nodes
UNION ALL MATCH (n:HydraPredicate) WITH count(n) AS nodes RETURN 'HydraPredicate' AS label, nodes
UNION ALL MATCH (n:HydraLoad) WITH count(n) AS nodes RETURN 'HydraLoad' AS label, nodes
UNION ALL MATCH (n:HydraLoadChunk) WITH count(n) AS nodes RETURN 'HydraLoadChunk' AS label, nodes
UNION ALL MATCH (n:HydraLoadFile) WITH count(n) AS nodes RETURN 'HydraLoadFile' AS label, nodes
UNION ALL MATCH (n:HydraSource) WITH count(n) AS nodes RETURN 'HydraSource' AS label, nodes
UNION ALL MATCH (n:HydraClassChunk) WITH count(n) AS nodes RETURN 'HydraClassChunk' AS label, nodes
UNION ALL MATCH (n:HydraStore) WITH count(n) AS nodes RETURN 'HydraStore' AS label, nodes

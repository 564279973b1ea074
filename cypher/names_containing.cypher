// Names of one load that a full-text query finds, of the nodes with most facts first.
// Parameters: query (quoted by names.py), load, limit. Columns: node, kind, text.
CALL db.index.fulltext.queryNodes('hydra_name_words', $query) YIELD node AS x
WITH x WHERE x.load = $load
RETURN x.node AS node, x.kind AS kind, x.text AS text
ORDER BY x.fame, x.node, x.kind, x.text LIMIT $limit

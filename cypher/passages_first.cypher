// The first passages of one load that a full-text query finds: for words too common to rank by.
// Parameters: query (quoted by names.py), load, limit. Columns: load, n, node, title, url, text, line, words.
CALL db.index.fulltext.queryNodes('hydra_passage_words', $query) YIELD node AS p
WITH p WHERE p.load = $load
RETURN p.load AS load, p.n AS n, p.node AS node, p.title AS title, p.url AS url, p.text AS text, p.line AS line,
       p.words AS words
ORDER BY p.n LIMIT $limit

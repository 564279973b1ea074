// The passages of one load that a full-text query finds, best first by Lucene, which only proposes.
// Parameters: query (quoted by names.py), load, limit. Columns: load, n, node, title, url, text, line, words.
CALL db.index.fulltext.queryNodes('hydra_passage_words', $query) YIELD node AS p, score
WITH p, score WHERE p.load = $load
RETURN p.load AS load, p.n AS n, p.node AS node, p.title AS title, p.url AS url, p.text AS text, p.line AS line,
       p.words AS words
ORDER BY score DESC, p.n LIMIT $limit

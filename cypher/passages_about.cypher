// The passages about nodes.
// Parameters: ids, loads. Columns: load, n, node, title, url, text, line, words.
MATCH (p:HydraPassage) USING INDEX p:HydraPassage(node) WHERE p.node IN $ids AND p.load IN $loads
RETURN p.load AS load, p.n AS n, p.node AS node, p.title AS title, p.url AS url, p.text AS text, p.line AS line,
       p.words AS words

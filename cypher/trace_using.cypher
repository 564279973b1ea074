// What a source touched: every fact and passage of it that a question used.
// Parameters: source. Columns: question, exploration, fid, passage, entity.
MATCH (q:HydraQuestion)-[u:USED]->(e) WHERE u.source = $source
RETURN q.id AS question, u.exploration AS exploration, u.fid AS fid, u.passage AS passage, e.key AS entity

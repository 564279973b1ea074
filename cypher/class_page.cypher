// Nodes in the order of their ids, a page of them, read from the index of ids.
// Parameters: after (id behind which the page begins), limit. Columns: id.
MATCH (n:HydraEntity) WHERE n.id > $after
RETURN n.id AS id ORDER BY n.id LIMIT $limit

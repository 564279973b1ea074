"""Published questions on a knowledge graph, most of them with the query that answers them."""

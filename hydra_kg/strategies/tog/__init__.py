"""Think-on-Graph: beam search over entities and relations, and ToG-R over relation chains."""

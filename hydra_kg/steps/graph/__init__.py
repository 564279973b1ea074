"""Relations and hops as columns: traversal of a subgraph, and the space of its relations."""

"""Find likely answers in any passage that a search found, in one sentence or by a name in two passages."""

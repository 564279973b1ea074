"""Vector indexes behind the ``VectorIndex`` port."""

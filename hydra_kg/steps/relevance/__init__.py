"""How relevant a relation path is to a question or to one clause of it."""

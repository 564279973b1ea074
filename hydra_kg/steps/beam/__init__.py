"""Beam search over entities and relations, as in Think-on-Graph."""

"""Which relations and nouns of a store are the ones that a plan's phrases say."""

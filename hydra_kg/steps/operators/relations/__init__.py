"""Match the phrases of a plan to the relations and nouns of a store."""

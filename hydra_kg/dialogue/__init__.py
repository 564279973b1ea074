"""Follow-up questions: resolve "he", "there", "of them" and "and of Spain?" after an answer."""

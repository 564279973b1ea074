"""Follow-up questions: what "he", "there", "of them" and "and of Spain?" mean after an answer."""

"""Those who judge: an offline agent of rules and vectors, and one that asks a language model."""

"""Those who judge: one Agent port, an offline implementation, later one with a language model."""

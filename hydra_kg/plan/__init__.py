"""Question plans: what a question asks for, as operators over sets of things and their values."""

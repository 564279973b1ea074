"""Check texts against a store, and explain why an expected answer was not given."""

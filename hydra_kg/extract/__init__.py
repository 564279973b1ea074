"""Rule-based extraction of knowledge paths from text, shared by loaders and the offline agent."""

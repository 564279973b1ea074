"""What a language model reads: prompts from their templates, data shown and escaped."""

"""What a language model reads: prompts made from templates, with the data that they show, escaped."""

"""What a language model writes: the schema of each reply, and lenient parsing of replies that are nearly valid."""

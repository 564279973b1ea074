"""Questions one after another at the terminal."""

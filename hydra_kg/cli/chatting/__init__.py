"""Commands for asking one question after another at the terminal."""

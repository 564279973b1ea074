"""Published questions and claims on texts of Wikipedia."""

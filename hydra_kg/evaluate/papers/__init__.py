"""Every table and figure of the four papers: what is printed there, and what of it can be measured here."""

"""Every table and figure of the four papers: the printed values, and those that can be measured here."""

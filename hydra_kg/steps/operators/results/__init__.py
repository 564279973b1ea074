"""What operators give: sets with their evidence, literals as spans, and what was done, in words."""

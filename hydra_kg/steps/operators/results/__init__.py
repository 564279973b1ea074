"""Results of operators: sets with their evidence, literals as spans, and the work done, in words."""

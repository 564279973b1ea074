"""Commands that write answers and claims in standard formats."""

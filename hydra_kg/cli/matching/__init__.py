"""The command that finds rows of feeds about the same thing."""

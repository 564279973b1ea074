"""Question sets, their gold queries, and which questions a store can answer at all."""

"""Text as evidence: sentences and pages retrieved, ranked, and joined to the graph as paths."""

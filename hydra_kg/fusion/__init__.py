"""Conflicting claims of many sources: line graph, confidence, truth discovery (MultiRAG §II–IV)."""

"""Turn evidence into answers: candidates, judgement, disagreement, the conclusion."""

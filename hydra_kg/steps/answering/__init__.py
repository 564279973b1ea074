"""From evidence to answers: candidates, judgement, disagreement, the conclusion."""

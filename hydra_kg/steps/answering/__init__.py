"""From evidence to answers: candidates, judgement, aggregation, disagreement, the conclusion."""

"""From evidence to answers: candidates, judgement, aggregation, disagreement, the conclusion."""

from __future__ import annotations

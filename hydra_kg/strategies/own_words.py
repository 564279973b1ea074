"""Answers questions over a store with a schema of its own in that schema's words."""

from __future__ import annotations

from hydra_kg.domain import Analysis, Mention
from hydra_kg.steps.context import Context
from hydra_kg.steps.schema.answering import read_in_own_words
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.carried_out import carried_out

PHASE = "words"


def by_words(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """What the store's own classes, relations and names say; None where they do not account for the question, where a
    person named the topics or the sources, or where a model reads."""
    named = context.topics or context.topic_keys or context.allowed
    if context.agent.reads or named or not context.settings.answering.own_words:
        return None
    with context.phase(PHASE):
        done = read_in_own_words(context)
    if done is None or not done.conclusion.answers:
        return None
    counts = {"answers": len(done.conclusion.answers)}
    return carried_out(context, mentions, analysis, done, phase=PHASE, counts=counts)

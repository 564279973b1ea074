"""Doubt answers that a question restricts to the present, since facts seldom say until when they hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.domain import Mention
from hydra_kg.extract.words import PRESENT
from hydra_kg.plan.model import Today
from hydra_kg.plan.walk import parts
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold

_SPANS: Final = frozenset(("year", "month", "week", "season"))
"""Nouns that "this" makes a time."""


def present_words(outcome: Outcome) -> tuple[str, ...]:
    """Return the words of a question that restrict it to the present and that its answer does not account for.

    "Which films did Christopher Nolan direct this year?" gives ("this year",). Claims and questions for yes or no are
    judged by their own rules. A plan that counts until today accounts for the word, and so does one that selects the
    rows that hold today.
    """
    analysis = outcome.analysis
    if not outcome.conclusion.answers or analysis.kind == "boolean" or analysis.answer_type == "claim":
        return ()
    if analysis.plan is not None and any(isinstance(part, Today) for part in parts(analysis.plan.root)):
        return ()
    if any(step.operator == "Today" for step in outcome.steps):
        return ()
    found = tuple(_words(analysis.question, outcome.mentions))
    if not found:
        return ()
    noted = {word for text in (*outcome.unchecked, *outcome.in_doubt) for word in fold(text).split()}
    return tuple(dict.fromkeys(text for text in found if not noted & set(fold(text).split())))


def _words(question: str, mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield them as written; words of a linked name, or with a capital inside the question, belong to a name."""
    words = [word.strip("?!.,;:\"'") for word in question.split()]
    named = {word for mention in mentions for word in mention.text.split()}
    for at, word in enumerate(words):
        if word in named or (at and word[:1].isupper()):
            continue
        if fold(word) in PRESENT:
            yield word
        elif fold(word) == "this" and at + 1 < len(words) and fold(words[at + 1]) in _SPANS:
            yield f"{word} {words[at + 1]}"

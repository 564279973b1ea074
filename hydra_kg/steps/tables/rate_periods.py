"""Periods of rates: of a monthly fee, of a price per night, and of what somebody pays a year."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.language.morphology import singular
from hydra_kg.language.units import unit_dimensions
from hydra_kg.steps.tables.graph_tables import View
from hydra_kg.steps.tables.operation_words import Cue, QueryToken
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import tokens

_PER: Final = (ARTICLES - {"the"}) | {"per", "each", "every"}
_ADJECTIVES: Final = {"daily": "day", "annual": "year"}
_ORDINALS: Final = {"second"}
"""Words for times that are ordinals more often than periods."""


def periods_said(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the periods of rates in words in small letters, with their spans: a year, per month, weekly."""
    for n, (before, word) in enumerate(pairwise(("", *words))):
        base = word.removesuffix("ly")
        said = _ADJECTIVES.get(word) or _ADJECTIVES.get(base) or ("" if base == word else base)
        if period := _period(said):
            yield n, n + 1, period
        elif before in _PER and (period := _period(word)):
            yield n - 1, n + 1, period


def rate_words(heading: Sequence[str]) -> set[str]:
    """Return the words of a heading that only say per what its amounts are: "hourly" of "hourly wage"."""
    return {word for begin, end, _ in periods_said(heading) for word in heading[begin:end]}


def asks_rate(words: Sequence[str], heading: Sequence[str]) -> bool:
    """Return True if a question asks for rates of a heading, not their sum: what a junior pays a *year*."""
    return bool(rate_words(words) and rate_words(heading)) and not {"all", "together", "total"} & {*words}


def _period(word: str) -> str:
    is_time = word not in _ORDINALS and (unit_dimensions().get(word) == "time" or word == "quarter")
    return singular(word) if is_time else ""


def explain_other_period(question: str, headings: Sequence[str]) -> str:
    """Return why a column with a rate does not answer a question about another period, or "".

    Example: "How much does Ada pay a year?" of a monthly fee.
    """
    words = question.split()
    plain = words[:1] + [w for w in words[1:] if not w[:1].isupper()]  # not those of names: the Weekly Post
    asked = {period for *_, period in periods_said(tokens(" ".join(plain)))}
    for heading in headings:
        stated = {period for *_, period in periods_said(tokens(heading))}
        if asked and stated and not asked & stated:
            return f"“{heading}” is per {min(stated)}, and the question asks for an amount per {min(asked)}"
    return ""


def without_rates(view: View, words: Sequence[QueryToken], cues: Sequence[Cue]) -> list[Cue]:
    """Return the cues of a question without those for groups that only say the period of a rate.

    Example: "per month" of a monthly fee asks for no group of each month.
    """
    stated = {period for column in view.columns for *_, period in periods_said(column.words)}
    spans = [(a, b) for a, b, period in periods_said([w.low for w in words]) if period in stated]
    said = {k for a, b in spans for k in range(a, b)}
    return [cue for cue in cues if cue.start not in said] + [Cue(a, b, "idle") for a, b in spans]

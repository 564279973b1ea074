"""Decide which columns can be compared with a number, and what a comparison with them means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hydra_kg.execution.own_graph import number
from hydra_kg.language.adjectives import graded_adjectives
from hydra_kg.steps.tables.column_dimensions import is_beginning
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.operation_words import SINCE, Cue, QueryToken
from hydra_kg.steps.tables.question_spans import SAME, QueryPiece

PARTS_OF_YEARS: Final = {"year": 1, "quarter": 4, "month": 12, "day": 372}
"""How many of a part of time a year has, as dates are numbers."""


def cues_of_equality(words: Sequence[QueryToken], others: Sequence[Cue]) -> Iterator[Cue]:
    """Yield cues of values equal to those of a named thing: in *the same year* as Salt, *at least as tall as* Salt.

    ``others`` are the cues of comparisons ("at least").
    """
    lows = [w.low for w in words]
    for k, word in enumerate(words):
        behind = lows[k + 1 : k + 3]
        if word.low == "same" and not word.named and "as" in lows[k + 2 :]:
            part = "day" if behind[0] == "date" else behind[0] if behind[0] in PARTS_OF_YEARS else ""
            yield Cue(k, k + 1 + bool(part), SAME, part)
        elif word.low == "as" and behind[1:] == ["as"]:
            measures = next((a.measures for a in graded_adjectives() if a.plain == behind[0]), None)
            if measures is not None or behind[0] == "much":
                start = k - 2 * (lows[k - 1] == "times") - (k > 0 and factor_of(words[k - 1 : k]) != 1)
                bound = next((c for c in others if c.say == "compare" and c.end == start), Cue(start, start, "", "="))
                yield Cue(bound.start, k + 3, "compare", bound.value, measures or ())


def factor_of(words: Sequence[QueryToken]) -> float:
    """Return how many times as much some words ask for: 2 of "twice as much as", .5 of "half as tall as", else 1."""
    return next((0.5 if w.low == "half" else w.number for w in words if w.number or w.low == "half"), None) or 1.0


def bound_of(word: QueryToken) -> float:
    """Return the number or the date that a word says."""
    found = number(word.text)
    return found if word.text[:4].isdigit() and "-" in word.text else word.number or 0.0


def is_down(order: str, piece: QueryPiece, column: Column) -> bool:
    """Return True if the greatest value is meant: the oldest has the greatest age, or the first date of birth.

    Who has been a member the longest has joined first.
    """
    measures = piece.cue.measures
    by_age = measures[:1] == ("age",) and "age" not in column.words
    return (order == "max") != (by_age or (SINCE in measures and is_beginning(column)))


def is_dated(column: Column) -> bool:
    """Return True if a column is one of days."""
    return column.kind == "date"


def is_any(_: Column) -> bool:
    """Return True for any column."""
    return True


def measured(value: float) -> Callable[[Column], bool]:
    """Return a test whether a column can be compared with a number; dates can be compared only with years."""
    return lambda c: c.kind == "number" or (c.kind == "date" and (1000 <= value < 2200 or value == 0.5))


def meant(how: str, piece: QueryPiece, column: Column) -> str:
    """Return the sign of a comparison for a column.

    Older than thirty is a greater age, but an earlier birth.
    """
    measures = piece.cue.measures
    if measures[:1] == ("age",) and "age" not in column.words:
        return {">": "<", "<": ">"}.get(how, how)
    return how


def interval(how: str, value: float, high: float | None, *, whole: bool) -> tuple[float, float]:
    """Return the closed interval of a comparison; a whole year is all of its days."""
    infinite, small = float("inf"), 1e-9 * max(1.0, abs(value))
    last = value + 1 - 1e-3 if whole and value == int(value) else value
    if how == "><":
        assert high is not None
        return value, high + 1 - 1e-3 if whole and high == int(high) else high
    return {
        ">": (last + small, infinite),
        ">=": (value, infinite),
        "<": (-infinite, value - small),
        "<=": (-infinite, last),
        "=": (value, last),
    }[how]

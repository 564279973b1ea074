"""Columns that say when: years, days, and from when until when a row holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import is_date, number
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import Column, View
from hydra_kg.steps.tables.operation_words import QueryToken
from hydra_kg.steps.tables.span_meanings import Tag
from hydra_kg.text.quantities import read_time

BEGINNING: Final = frozenset(map(family_stem, list_words("beginning_verb")))
ENDING: Final = frozenset(map(family_stem, list_words("ending_verb")))
_LOOKED_AT: Final = 20
"""Values of a column that are looked at."""
_YEAR: Final = 372 * 86_400.0
"""Seconds of a year of twelve months of 31 days, as dates are numbers."""
_BEGINS: Final = BEGINNING | {"from", "since", "first"}
_ENDS: Final = ENDING | {"until", "to", "last"}


def find_interval_tags(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the first or last day of an interval for a verb: contracts that *ended*, of columns "from" and "to".

    "Since when" asks for the first day.
    """
    pairs = [pair for table in view.tables if (pair := interval_columns(view, table.place)) is not None]
    for k, word in enumerate(words if pairs else ()):
        since = word.low == "since" and [w.low for w in words[k + 1 : k + 2]] == ["when"]
        stem = family_stem(word.low)
        if since or stem in BEGINNING | ENDING:
            fits = tuple((pair[stem in ENDING], costs.SAME_FORM) for pair in pairs)
            yield Tag(k, k + 1 + since, 0.0, columns=fits)


def is_years(view: View, column: Column) -> bool:
    """Return True if a column has years or days of modern times."""
    ends = view.graph.relations[column.relation].there.end[:200]
    return 1000 <= float(np.nanmedian(view.graph.numbers[ends])) < 2200


def is_time(view: View, column: Column) -> bool:
    """Return True if a column says when: days, or only years."""
    if column.relation < 0 or column.kind not in ("date", "number"):
        return False
    relation = view.graph.relations[column.relation].there
    numbers = view.graph.numbers[relation.end[relation.rows(view.rows(column.table))]]
    known = numbers[~np.isnan(numbers)]
    years = bool(len(known)) and bool(((known >= 1000) & (known < 2200)).all())
    whole = bool((known == known.astype(np.int64)).all())
    return years and (column.kind == "date" or whole or "month" in column.words)  # 2024-02 is a part of 2024


def interval_columns(view: View, table: int) -> tuple[Column, Column] | None:
    """Return the two columns of a table that say from when until when its rows hold: "valid from" and "valid to"."""
    times = [c for c in view.columns if c.table == table and is_time(view, c)]
    begins, ends = (
        {
            tuple(w for w in c.words if family_stem(w) not in stems): c
            for c in times
            if stems & set(map(family_stem, c.words))
        }
        for stems in (_BEGINS, _ENDS)
    )
    pairs = [(begins[rest], ends[rest]) for rest in begins.keys() & ends.keys() if begins[rest] != ends[rest]]
    return pairs[0] if len(pairs) == 1 else None


def states_clocks(view: View, column: Column) -> bool:
    """Return True if the values of a column have times of day: 07:30, 2024-05-01 20:00."""
    if column.relation < 0:
        return False
    some = view.graph.relations[column.relation].there.end[:_LOOKED_AT].tolist()
    return bool(some) and all(not math.isnan(read_moment(view.graph.name(place))) for place in some)


def read_moment(text: str, *, dated: bool = False) -> float:
    """Return the seconds of a time of day, or NaN; a ``dated`` one has the seconds of its day too."""
    day = number(text) if is_date(text) else 0.0
    clock = read_time(text[11:19] if day else text) if ":" in text else math.nan
    return clock + _YEAR * day if dated else clock


def find_moments(view: View, column: Column, low: float, high: float, *, dated: bool) -> Ids:
    """Return the values of a column whose time of day, or whose moment, is between two numbers of seconds."""
    ends = np.unique(view.graph.relations[column.relation].there.end)
    seconds = np.array([read_moment(view.graph.name(place), dated=dated) for place in ends.tolist()], np.float64)
    return ends[(seconds >= low) & (seconds <= high)]

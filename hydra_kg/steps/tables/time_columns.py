"""Columns that say when: years, days, months, from when until when a row holds, and by when something was due."""

from __future__ import annotations

import math
from calendar import day_name
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import BETWEEN_VALUES, OwnGraph, OwnRelation, is_date, number
from hydra_kg.extract.word_classes import ASKING, BE, DO, HAVE, PREPOSITIONS
from hydra_kg.language.dates import abbreviate_time
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem, is_same_family, singular
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import Column, View
from hydra_kg.steps.tables.operation_words import Cue, QueryToken
from hydra_kg.steps.tables.span_meanings import Tag, same
from hydra_kg.steps.tables.table_query import TableQuery
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.quantities import read_time
from hydra_kg.util.number_columns import sort_distinct

BEGINNING: Final = frozenset(map(family_stem, list_words("beginning_verb")))
ENDING: Final = frozenset(map(family_stem, list_words("ending_verb")))
_PROMISED: Final = frozenset(map(family_stem, list_words("promised_date")))
_KEPT: Final = frozenset(map(family_stem, list_words("kept_date")))
_LOOKED_AT: Final = 20
"""Values of a column that are looked at."""
_YEAR: Final = 372 * 86_400.0
"""Seconds of a year of twelve months of 31 days, as dates are numbers."""
_BEGINS: Final = BEGINNING | {"from", "since", "first"}
_ENDS: Final = ENDING | {"until", "to", "last"}
_LATER: Final = _ENDS | _PROMISED | _KEPT
"""Stems of headings that do not say when something took place, where another day does."""
_DAYS: Final = frozenset(map(family_stem, list_words("date_noun end_of_date_heading")))

PARTS: Final[Mapping[str, Callable[[date], str]]] = {
    "year": lambda day: f"{day:%Y}",
    "quarter": lambda day: f"{day.year} Q{(day.month + 2) // 3}",
    "month": lambda day: f"{day:%Y-%m}",
    "weekday": lambda day: day_name[day.weekday()],
}
"""Parts of days that questions name, each with how it is written."""
_SMALL: Final = PREPOSITIONS | ARTICLES | BE | DO | HAVE
"""Words of a heading that do not say which column is meant."""
_CHOOSING: Final = ASKING | list_words("each") | (ARTICLES - {"the"}) | {"per", "by"}
"""Words before the name of a part: "in *which* month", "per quarter"; not "last month" or "two months"."""


def find_interval_tags(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the first or last day of an interval for a verb: contracts that *ended*, of columns "from" and "to".

    "Since when" asks for the first day.
    """
    pairs = [pair for table in view.tables if (pair := interval_columns(view, table.place)) is not None]
    for k, word in enumerate(words if pairs else ()):
        since = word.low == "since" and [w.low for w in words[k + 1 : k + 2]] == ["when"]
        stem = family_stem(word.low)
        if since or stem in BEGINNING | ENDING:
            called = [c for c in view.columns if since and "since" in c.words]
            fits = tuple((c, costs.SAME_FORM) for c in called or [pair[stem in ENDING] for pair in pairs])
            yield Tag(k, k + 1 + since, 0.0, columns=fits)


def find_date_tags(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the only column of days of each table for "date", if none is called so: of a letter, when it was sent.

    The columns that the question names go first: the date when a book was *returned*.
    """
    dates = [c for c in view.columns if c.kind == "date" and c.relation >= 0]
    called = {c.table for c in view.columns if "date" in c.words}
    alone = [c for c in dates if c.table not in called and sum(o.table == c.table for o in dates) == 1]
    lows = [word.low for word in words]
    named = [c for c in dates if any(is_same_family(low, w) for low in lows for w in {*c.words} - _SMALL)]
    fits = tuple((c, costs.SAME_SYNONYM) for c in [c for c in named if c.table not in called] or alone)
    yield from (Tag(k, k + 1, 0.0, columns=fits) for k, word in enumerate(words) if fits and word.low == "date")


def is_time(view: View, column: Column) -> bool:
    """Return True if a column says when: days, or only years."""
    if column.relation < 0 or column.kind not in ("date", "number"):
        return False
    return view.once(("time", column), lambda: _has_times(view, column))


def _has_times(view: View, column: Column) -> bool:
    relation = view.graph.relations[column.relation].there
    numbers = view.graph.numbers[relation.end[relation.rows(view.rows(column.table))]]
    known = numbers[~np.isnan(numbers)]
    years = bool(len(known)) and bool(((known >= 1000) & (known < 2200)).all())
    whole = bool((known == known.astype(np.int64)).all())
    return years and (column.kind == "date" or whole or "month" in column.words)  # 2024-02 is a part of 2024


def is_later(heading: Sequence[str]) -> bool:
    """Return True if a heading names the end of something, what was due, or what fulfilled it: *returned* on."""
    return not _LATER.isdisjoint(map(family_stem, heading))


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


def deadline_columns(view: View, table: int, said: Container[Column] = ()) -> list[tuple[Column, Column]]:
    """Return pairs of a date that was promised and the date that fulfilled it: "due on" and "returned on".

    Of several promises, each goes with the date that shares a further word: "planned start" and "actual start". A date
    fulfilled a promise if its heading says so ("returned on") and the question names it (``said``), else if the
    question names it, else if its heading says so. If there is none, it is the only date that some rows lack.
    """
    dates = [c for c in view.columns if c.table == table and c.kind == "date"]
    stems = {c: {*map(family_stem, c.words)} - _BEGINS - _ENDS for c in dates}
    promised = [c for c in dates if stems[c] & _PROMISED]
    others = [c for c in dates if c not in promised]
    called = [c for c in others if stems[c] & _KEPT]
    fulfilled = [c for c in called if c in said] or [c for c in others if c in said] or called
    if not fulfilled:
        full = [len(view.graph.relations[c.relation].there.rows(view.rows(table))) for c in others]
        fulfilled = [c for c, rows in zip(others, full, strict=True) if rows < len(view.rows(table))]
        fulfilled = fulfilled if len(fulfilled) == 1 else []
    alone = len(promised) == 1
    return [(p, k) for p in promised for k in fulfilled if alone or (stems[p] & stems[k]) - _DAYS]


def compares_deadline(view: View, words: Sequence[QueryToken], cue: Cue) -> bool:
    """Return True if words such as "late" compare two dates of a table, and the data have no such words themselves."""
    said = words[cue.start : cue.end]
    dated = [w for w in words[cue.end : cue.end + 1] if w.named or w.number is not None]  # early 2024
    own = any(w.low in view.graph.names or (w.low in view.spoken and cue.end == cue.start + 1) for w in said)
    return not (dated and cue.value == "<") and not own and any(deadline_columns(view, t.place) for t in view.tables)


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
    ends = sort_distinct(view.graph.relations[column.relation].there.end)
    seconds = np.array([read_moment(view.graph.name(place), dated=dated) for place in ends.tolist()], np.float64)
    return ends[(seconds >= low) & (seconds <= high)]


def with_date_parts(view: View, words: Sequence[QueryToken]) -> View:
    """Return a view that also has the parts of its days that a question names, each as a column of texts."""
    wanted = _asked_parts(words) - view.spoken
    times = [column for column in view.columns if is_time(view, column)] if wanted else []
    named = [c for c in times if _is_said(c.words, words)]
    days = list_words("weekday") & {singular(word.low) for word in words} if times and not named else ()
    if any(day in view.graph.names or abbreviate_time(day) in view.graph.names for day in days):
        wanted = wanted - {"weekday"}  # who works on Saturday: those with "Sat", not who started on a Saturday
    times = named or [c for c in times if _says_table(view, c.table, words)]
    graph, columns, of = view.graph, list(view.columns), dict(view.of)
    for column in times:
        for part in sorted(wanted):
            place = column.relation
            if column.kind == "date":
                key = "part", graph.size, column.relation, part
                graph = graph.with_values(*view.once(key, partial(_part_of_days, graph, column.relation, part)))
                place = len(graph.relations) - 1
            elif part != "year":
                continue
            text = graph.relations[place].text
            new = Column(column.table, place, (part,), "text", (), text, ((*column.words, part),))
            columns.append(new)
            of[place] = [*of.get(place, ()), new]
    spoken = view.spoken | {c.words[0] for c in columns[len(view.columns) :]}
    return replace(view, graph=graph, columns=columns, of=of, spoken=spoken)


def _says_table(view: View, table: int, words: Sequence[QueryToken]) -> bool:
    """Return True if a question names a table, or one of its columns."""
    names = (*view.tables[table].names, *(column.words for column in view.of_table(table) if column.relation >= 0))
    return any(_is_said(name, words) for name in names)


def _is_said(name: Sequence[str], words: Sequence[QueryToken]) -> bool:
    """Return True if a content word of a name, or one of its family, is in the question."""
    own = [word for word in name if word not in _SMALL and word not in PARTS]
    return any(same(singular(word.low), other) < 1 for word in words for other in own)


def places_of_part(words: Sequence[QueryToken], query: TableQuery) -> set[int]:
    """Return the places of words that name the day whose part is shown or groups rows: the month it was *built*."""
    parts = [c for c in (query.group, query.by, *query.columns) if c is not None and c.words[0] in PARTS and c.also]
    return {k for k, word in enumerate(words) for column in parts if _is_said(column.also[0], [word])}


def unclear_parts(view: View, query: TableQuery) -> Iterator[str]:
    """Yield the part of a day that groups rows or is shown, if it may be that of several days, none of which is said.

    Example: the year of harvests that were sown on one day and harvested on another.
    """
    for column in (c for c in (query.group, query.by, *query.columns) if c is not None):
        for part in PARTS.keys() & set(column.words):
            own = [c for c in view.columns if c.table == column.table and c.words == (part,) and c.also]
            first = [c for c in own if not is_later(c.also[0])]
            if len(own) > 1 and (len(first) != 1 or (column in own and column not in first)):
                yield part


def _asked_parts(words: Sequence[QueryToken]) -> set[str]:
    """Return the parts that a question asks for or chooses by: "in which month", "monthly", "on a Friday"."""
    lows = ["", *(word.low for word in words)]
    # in "per shop and month", "per" chooses both
    chosen = [b in _CHOOSING or (b == "and" and not _CHOOSING.isdisjoint(lows[:n])) for n, b in enumerate(lows)]
    found = {
        part
        for part in PARTS
        for n, low in enumerate(lows[1:])
        if low == f"{part}ly" or (singular(low) == part and chosen[n])
    }
    return found | ({"weekday"} if list_words("weekday") & {singular(low) for low in lows} else set())


def _part_of_days(graph: OwnGraph, relation: int, part: str) -> tuple[OwnRelation, list[str]]:
    """Return a relation to a part of the days of another, and its new values. What is no day stays as it is."""
    days = graph.relations[relation]
    ends = sort_distinct(days.there.end)
    parts = [_part_of(graph.name(end), part) for end in ends.tolist()]
    known = sorted(set(parts) - {""}, key=list(day_name).index if part == "weekday" else str)
    places = {text: graph.size + n for n, text in enumerate(known)}
    others = np.array([places.get(text, end) for text, end in zip(parts, ends.tolist(), strict=True)], np.int64)
    there = replace(days.there, end=others[np.searchsorted(ends, days.there.end)])
    text = f"{days.text.split(BETWEEN_VALUES)[0]} ({part})"
    return OwnRelation(days.pred, days.key, text, (part,), there, literal=True, part_of=relation), known


def _part_of(day: str, part: str) -> str:
    """Return a part of a day as written, or "" if it is no day."""
    try:
        return PARTS[part](date.fromisoformat(day[:10]))
    except ValueError:
        return ""

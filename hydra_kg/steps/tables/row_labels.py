"""Name rows that have no name of their own by their key values."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.steps.tables.graph_tables import Column, View

_MOST: Final = 3
"""Values that name a row."""
_FILLED: Final = 0.9
"""Share of rows that have a value in a column that names them."""
_LONGEST: Final = 30
"""Letters of the longest text that is part of the name of a row; longer ones are remarks."""


def row_label(view: View, place: int) -> str:
    """Return what a place is called: its name, or for a row without one its noun and key values.

    Example: "rating: Lentil soup, Tom, 2025-01-12". Columns are taken until they tell all rows of the table apart.
    """
    graph = view.graph
    name = label_of(graph.name(place))
    if place >= len(graph.ids) or not graph.nameless[place]:
        return name
    table = next((t for t in view.tables if view.within[t.place][place]), None)
    if table is None:
        return name
    columns = view.once(("keys", table.place), lambda: _key_columns(view, table.place))
    values = [_value(view, column, place) for column in columns]
    said = ", ".join(v for v in values if v)
    return f"{table.text}: {said}" if said else name


def _key_columns(view: View, table: int) -> tuple[Column, ...]:
    """Return the first columns that together tell most rows of a table apart, things and people before numbers."""
    rows = view.rows(table)
    fits = [c for c in view.of_table(table) if c.relation >= 0 and c.kind != "name" and _is_short(view, c)]
    fits.sort(key=lambda c: _rank(view, c))
    chosen: list[Column] = []
    groups = np.zeros(len(rows), np.int64)
    for column in fits:
        if len(chosen) == _MOST or len(np.unique(groups)) == len(rows):
            break
        there = view.graph.relations[column.relation].there
        at = there.rows(rows)
        first = np.full(len(rows), -1, np.int64)
        first[np.searchsorted(rows, there.start[at])] = there.end[at]
        _, finer = np.unique(np.stack([groups, first]), axis=1, return_inverse=True)
        if len(np.unique(finer)) > len(np.unique(groups)):
            chosen.append(column)
            groups = finer.reshape(-1)
    return tuple(chosen)


def _rank(view: View, column: Column) -> int:
    """Return how late a column comes in the name of a row: things and people, then dates, texts and numbers."""
    if column.kind == "text" and view.has_names(column):
        return 1
    return {"link": 0, "date": 2, "text": 3}.get(column.kind, 4)


def _is_short(view: View, column: Column) -> bool:
    """Return True if most rows have a value in a column, and no value is a long text."""
    there, rows = view.graph.relations[column.relation].there, view.rows(column.table)
    at = there.rows(rows)
    if len(at) < _FILLED * len(rows):
        return False
    ends = np.unique(there.end[at])[:_MOST_LOOKED_AT]
    return column.kind != "text" or all(len(view.graph.name(e)) <= _LONGEST for e in ends.tolist())


_MOST_LOOKED_AT: Final = 50
"""Values of a column whose length is looked at."""


def _value(view: View, column: Column, row: int) -> str:
    there = view.graph.relations[column.relation].there
    ends = there.end[there.rows(np.array([row], np.int64))][:1].tolist()
    return label_of(view.graph.name(ends[0])) if ends else ""

"""Count rows of tables without a key that repeat others word for word, so that a count or a sum may be too large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from hydra_kg.domain import Ids, Predicates
from hydra_kg.execution.graph_columns import Denotation
from hydra_kg.ids import merged_key
from hydra_kg.steps.tables.graph_tables import View
from hydra_kg.steps.tables.table_query import COMPUTED, TableQuery
from hydra_kg.util.number_columns import sort_distinct

_ADDING: Final = (COMPUTED - {"max", "min"}) | {"count", "share"}
_MOST: Final = 1_000_000
"""Rows of a table up to which they are compared."""


def read_merged_rows(predicates: Predicates) -> dict[str, int]:
    """Return how many rows the loader merged with another that they repeat, by what the rows of their table are."""
    pairs = (
        (key.partition(merged_key("", ""))[2], text)
        for key, text in zip(predicates.keys, predicates.texts, strict=True)
    )
    return {noun: int(text) for noun, text in pairs if noun and text.isdecimal()}


def repetition_doubt(view: View, query: TableQuery, result: Denotation, merged: Mapping[str, int]) -> tuple[str, ...]:
    """Return the doubt whether rows that repeat others should count twice; nothing if that changes no answer.

    ``merged``: rows of tables, by noun, that were merged by a key which was only inferred.
    Example: ``whether 2 rows that repeat others word for word should count``.
    """
    if query.do not in _ADDING or (query.do == "count" and query.columns):
        return ()
    table = query.columns[0].table if query.columns else query.base
    chosen = view.only(table, np.array(result.rows, np.int64)) if table == query.base and not query.group else ()
    count = count_repeated(view, table, np.array(chosen, np.int64) if len(chosen) else view.rows(table))
    alike = (n for noun, n in merged.items() if np.array_equal(view.graph.classes.get(noun, ()), view.rows(table)))
    count = count or next(alike, 0)
    rows_ = f"{count:,} rows that repeat others" if count > 1 else "1 row that repeats another"
    return (f"whether {rows_} word for word should count",) if count else ()


def count_repeated(view: View, table: int, rows: Ids) -> int:
    """Return how many of some rows state in every column the same as another of them that precedes it."""
    graph, rows = view.graph, sort_distinct(rows)
    if not (view.tables[table].numbered or graph.nameless[rows].all()) or not 1 < len(rows) <= _MOST:
        return 0
    cells = [np.zeros((0, 2), np.int64)]
    for column in view.of_table(table):
        if column.relation >= 0:
            there = graph.relations[column.relation].there
            at = there.rows(rows)
            values = there.end[at] + np.int64(column.relation) * graph.size
            cells.append(np.stack([np.searchsorted(rows, there.start[at]), values], axis=1))
    stated = np.unique(np.concatenate(cells), axis=0)
    mixed = stated[:, 1].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.zeros(len(rows), np.uint64)
    np.add.at(sums, stated[:, 0], mixed ^ (mixed >> np.uint64(32)))
    return len(rows) - len(sort_distinct(sums.view(np.int64)))

"""Columns that are computed from others of the same row, and exist for one question only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from hydra_kg.execution.own_graph import Columns, OwnGraph, OwnRelation, number
from hydra_kg.steps.tables.graph_tables import Column, View


def with_computed(view: View, texts: Mapping[int, str], source: Column, column: Column) -> View:
    """Return a view with one more column.

    Args:
        view: The tables.
        texts: The computed value of each row, such as "9 days".
        source: The column whose facts are cited for it.
        column: The new column; its relation is chosen here.
    """
    graph = view.graph
    key = "computed", graph.size, source.relation, column.text
    graph = graph.with_values(*view.once(key, partial(_relation, graph, texts, source, column)))
    added = replace(column, relation=len(graph.relations) - 1)
    return replace(view, graph=graph, columns=[*view.columns, added], of=dict(view.of) | {added.relation: [added]})


def single_values(graph: OwnGraph, column: Column) -> dict[int, int]:
    """Return the value of each row that has just one in a column."""
    there = graph.relations[column.relation].there
    rows, first, times = np.unique(there.start, return_index=True, return_counts=True)
    return dict(zip(rows[times == 1].tolist(), there.end[first][times == 1].tolist(), strict=True))


def _relation(
    graph: OwnGraph, texts: Mapping[int, str], source: Column, column: Column
) -> tuple[OwnRelation, list[str]]:
    """Return the relation of a new column, and its distinct values."""
    last = graph.relations[source.relation]
    rows = np.flatnonzero(np.isin(last.there.start, list(texts)))
    starts = last.there.start[rows]
    said = [texts[row] for row in starts.tolist()]
    distinct = sorted(set(said), key=number)
    places = {text: graph.size + n for n, text in enumerate(distinct)}
    ends = np.array([places[text] for text in said], np.int64)
    there = Columns(starts, ends, last.there.segment[rows], last.there.row[rows])
    of = source.relation
    return OwnRelation(last.pred, last.key, column.text, column.words, there, literal=True, part_of=of), distinct

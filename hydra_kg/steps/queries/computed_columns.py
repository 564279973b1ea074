"""Columns that are computed from others of the same row, and exist for one question only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hydra_kg.execution.own_graph import Columns, OwnRelation, number
from hydra_kg.steps.tables.graph_tables import Column, View


def with_computed(view: View, texts: Mapping[int, str], source: Column, column: Column) -> View:
    """Return a view with one more column.

    Args:
        view: The tables.
        texts: The computed value of each row, such as "9 days".
        source: The column whose facts are cited for it.
        column: The new column; its relation is chosen here.
    """
    graph, last = view.graph, view.graph.relations[source.relation]
    rows = np.flatnonzero(np.isin(last.there.start, list(texts)))
    starts = last.there.start[rows]
    said = [texts[row] for row in starts.tolist()]
    distinct = sorted(set(said), key=number)
    places = {text: graph.size + n for n, text in enumerate(distinct)}
    ends = np.array([places[text] for text in said], np.int64)
    there = Columns(starts, ends, last.there.segment[rows], last.there.row[rows])
    relation = OwnRelation(last.pred, last.key, column.text, column.words, there, literal=True, part_of=source.relation)
    graph = graph.with_values(relation, distinct)
    added = replace(column, relation=len(graph.relations) - 1)
    return replace(view, graph=graph, columns=[*view.columns, added], of=dict(view.of) | {added.relation: [added]})

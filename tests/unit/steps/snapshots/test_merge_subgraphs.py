"""Cuts that are added to another one: in which order their facts and classes come, whatever is added at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hydra_kg.domain import Subgraph
from hydra_kg.steps.snapshots.merge_subgraphs import Union


def cut(ids: list[int], depth: list[int], edges: list[tuple[int, int, int, int]], **more: int) -> Subgraph:
    """A cut of these classes, ascending; edges as (level, row, subject, object)."""
    level, row, src, dst = (np.array(column, np.int64) for column in zip(*edges, strict=True))
    known, order = np.array(ids, np.int64), np.argsort(depth, kind="stable")
    return Subgraph(
        ids=known,
        mediator=np.zeros(len(ids), np.bool_),
        degree=known.astype(np.int32),
        nodes=order.astype(np.int32),
        depth=np.array(depth, np.int8)[order],
        src=np.searchsorted(known, src).astype(np.int32),
        dst=np.searchsorted(known, dst).astype(np.int32),
        pred=np.zeros(len(row), np.int32),
        segment=np.zeros(len(row), np.int16),
        row=row,
        level=level.astype(np.int8),
        topics=np.zeros(1, np.int32),
        **more,
    )


FIRST = cut([2, 4, 6], [0, 1, 2], [(0, 10, 2, 4), (1, 11, 4, 6)])
OTHERS = [
    (cut([4, 6, 9], [1, 1, 2], [(0, 20, 4, 6), (1, 21, 9, 6)], dropped=3), 0),
    (cut([1, 6], [0, 1], [(0, 30, 1, 6)], skipped_hubs=2), 1),
]


def joined(steps: bool) -> tuple[Union, Subgraph]:
    """All three, joined at the end or after each."""
    union = Union(FIRST)
    for other, farther in OTHERS:
        union = Union(union.whole()) if steps else union
        union.add(other, farther=farther)
    return union, union.whole()


@pytest.mark.parametrize("steps", [False, True], ids=["at the end", "after each"])
def test_facts_come_by_level_and_then_as_they_were_added(steps):
    """Classes that others number otherwise, or that are new, get one number; the nearer depth counts."""
    union, whole = joined(steps)
    assert whole.row.tolist() == [10, 20, 11, 21, 30]
    assert whole.level.tolist() == [0, 0, 1, 1, 1]
    assert whole.ids.tolist() == [1, 2, 4, 6, 9]
    assert whole.degree.tolist() == [1, 2, 4, 6, 9]
    assert whole.ids[whole.src].tolist() == [2, 4, 4, 9, 1]
    assert whole.ids[whole.dst].tolist() == [4, 6, 6, 6, 6]
    assert whole.ids[whole.topics].tolist() == [2]
    assert list(zip(whole.ids[whole.nodes].tolist(), whole.depth.tolist(), strict=True)) == [
        (2, 0),
        (4, 1),
        (6, 1),
        (1, 1),
        (9, 2),
    ]
    assert union.depths([1, 2, 5, 6, 9, 99]) == {1: 1, 2: 0, 6: 1, 9: 2}
    assert (whole.dropped, whole.skipped_hubs) == (3, 2)


def test_nothing_added_is_the_same_cut():
    """And what was added is still as it was."""
    before = [replace(other) for other, _ in OTHERS]
    assert Union(FIRST).whole() is FIRST
    joined(False)
    for one, (other, _) in zip(before, OTHERS, strict=True):
        assert one.src is other.src
        assert one.level.tolist() == other.level.tolist()
    assert FIRST.row.tolist() == [10, 11]
    assert FIRST.depth.tolist() == [0, 1, 2]

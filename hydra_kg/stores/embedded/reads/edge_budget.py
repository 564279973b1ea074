"""Decides which edges of a level the edge budget of a cut leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.util.fast_dataclass import dataclass

SLACK = 1 << 20  # edges beyond twice the limit that a level holds before it throws the worst away


@dataclass(slots=True)
class EdgeRun:
    """A run of edges of one direction, as columns.

    ``near`` and ``far`` are classes; ``segment`` and ``row`` are fact handles.
    """

    forward: bool
    segment: npt.NDArray[np.int16]
    near: Index
    far: Index
    pred: Index
    row: Ids

    def take(self, keep: npt.NDArray[Any]) -> EdgeRun:
        """Return only the edges in ``keep`` (a mask or positions)."""
        return EdgeRun(
            self.forward, self.segment[keep], self.near[keep], self.far[keep], self.pred[keep], self.row[keep]
        )


class Level:
    """The edges of one level, limited to the best ``limit`` by (predicate order, neighbour, near end).

    Other edges are dropped as they come, so the limit bounds memory. Ties are ordered by direction, load and row.
    """

    def __init__(self, order: Index, limit: int | None) -> None:
        self.order, self.limit = order, limit
        self.runs: list[EdgeRun] = []
        self.total = self.buffered = 0
        self.worst = len(order)

    def add(self, edges: EdgeRun) -> None:
        """Add edges."""
        self.total += len(edges.far)
        if self.limit is None:
            self.runs.append(edges)
            return
        if self.worst < len(self.order):
            edges = edges.take(self.order[edges.pred] <= self.worst)
        self.runs.append(edges)
        self.buffered += len(edges.far)
        if self.buffered > 2 * self.limit + SLACK:
            self.shrink()

    def shrink(self) -> None:
        """Drop the edges beyond the limit.

        Edges are counted per predicate. Only the last admitted predicate is cut, by neighbour.
        """
        if self.limit is None or self.buffered <= self.limit:
            return
        counts = np.zeros(len(self.order), np.int64)
        for run in self.runs:
            counts[self.order] += np.bincount(run.pred, minlength=len(self.order))
        ends = np.cumsum(counts)
        self.worst = last = int(np.searchsorted(ends, self.limit, "right"))
        room = self.limit - (int(ends[last - 1]) if last else 0)
        boundary = int(np.flatnonzero(self.order == last)[0])
        at_boundary = [np.flatnonzero(run.pred == boundary) for run in self.runs]
        stays = _mask_nearest([run.take(at) for run, at in zip(self.runs, at_boundary, strict=True)], room)
        admitted = self.order < last
        start, retained = 0, []
        for run, at in zip(self.runs, at_boundary, strict=True):
            keep = admitted[run.pred]
            keep[at] = stays[start : start + len(at)]
            start += len(at)
            retained.append(run.take(keep))
        self.runs, self.buffered = retained, self.limit


def _mask_nearest(runs: list[EdgeRun], room: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the first ``room`` edges, ordered by neighbour, near end and the further tie breakers.

    The edges have one predicate, and there are more than ``room``.
    """
    far = np.concatenate([run.far for run in runs])
    bound = np.partition(far, room)[room]
    stays: npt.NDArray[np.bool_] = far < bound
    ties = np.flatnonzero(far == bound)
    sizes = [len(run.far) for run in runs]
    near = np.concatenate([run.near for run in runs])[ties]
    backward = np.repeat([not run.forward for run in runs], sizes)[ties]
    segment = np.concatenate([run.segment for run in runs])[ties]
    row = np.concatenate([run.row for run in runs])[ties]
    stays[ties[np.lexsort((row, segment, backward, near))[: room - int(stays.sum())]]] = True
    return stays

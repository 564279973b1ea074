"""Hops as columns: those of a few walkers with all that is known of them, those of many with what all rows need."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, Subgraph
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.number_columns import take_rows

Codes = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]
Hop = tuple[int, int, int, tuple[int, ...]]
"""Walker, mediator or -1, end, and the rows of the cut."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """One hop of each walker, as columns (k,).

    Args:
        walker: The walker that takes the hop, int64.
        code: The hop code, int64.
        via: The mediator, int32, or -1.
        end: The node at which the hop ends, int32.
        edge: The row of the cut of the first leg.
        edge2: The row of the cut of the second leg, -1 without a mediator.
    """

    walker: Ids
    code: Codes
    via: Index
    end: Index
    edge: Ids
    edge2: Ids

    def __len__(self) -> int:
        return len(self.end)

    def take(self, index: Rows | npt.NDArray[np.bool_]) -> Steps:
        """Return the rows of ``index``."""
        return Steps(
            self.walker[index], self.code[index], self.via[index], self.end[index], self.edge[index], self.edge2[index]
        )

    def mediators(self, rows: Rows) -> Index:
        """Return ``via`` of these rows."""
        return self.via[rows]

    def edges(self, rows: Rows) -> Ids:
        """Return the rows of the cut of these hops, int64 (r, 2); the second is -1 without a mediator."""
        return np.stack([self.edge[rows], self.edge2[rows]], axis=1)

    def hop(self, row: int) -> Hop:
        """Return one hop: walker, mediator, end, and its one or two rows of the cut."""
        one, two = int(self.edge[row]), int(self.edge2[row])
        return int(self.walker[row]), int(self.via[row]), int(self.end[row]), (one,) if two < 0 else (one, two)

    def order(self, rows: Rows, group: Ids) -> Rows:
        """Return the places that sort these rows by group; rows of a group stay in their order."""
        return np.argsort(group, kind="stable")


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """Single edges of a cut as walked: the first ``ahead`` forward, the others backward."""

    cut: Subgraph
    walker: Ids
    edge: Ids
    end: Index
    ahead: int

    def code(self, at: Rows) -> Codes:
        """Return the legs of these rows, int64."""
        return 2 * take_rows(self.cut.pred, take_rows(self.edge, at)).astype(np.int64) + (at < self.ahead)


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """Hops whose columns are made on request: walker, code and end as in Steps, and the others later.

    ``at`` is the row of ``first`` of each hop. ``on`` has the rows of ``out`` of the hops through mediators.
    """

    walker: Ids
    code: Codes
    end: Index
    first: Legs
    at: Rows
    out: Legs
    on: Rows

    def __len__(self) -> int:
        return len(self.end)

    def mediators(self, rows: Rows) -> Index:
        """Return the mediators of these rows, int32, -1 where there is none."""
        return np.where(rows < self._direct, np.int32(-1), take_rows(self.first.end, take_rows(self.at, rows)))

    def take(self, rows: Rows) -> Steps:
        """Return these rows with all columns."""
        edge, edge2 = self._edges(rows)
        return Steps(self.walker[rows], self.code[rows], self.mediators(rows), self.end[rows], edge, edge2)

    def edges(self, rows: Rows) -> Ids:
        """Return the rows of the cut of these hops, int64 (r, 2); the second is -1 without a mediator."""
        return np.stack(self._edges(rows), axis=1)

    def hop(self, row: int) -> Hop:
        """Return one hop: walker, mediator, end, and its one or two rows of the cut."""
        at, on = int(self.at[row]), row - self._direct
        walker, end, one = int(self.walker[row]), int(self.end[row]), int(self.first.edge[at])
        if on < 0:
            return walker, -1, end, (one,)
        return walker, int(self.first.end[at]), end, (one, int(self.out.edge[self.on[on]]))

    def order(self, rows: Rows, group: Ids) -> Rows:
        """Return the places that sort rows by group, and within a group by the (level, load, row) of their facts.

        The fact of the last leg is compared first. The order is fixed because stores return facts in different orders.
        """
        edge, edge2 = self._edges(rows)
        cut = self.first.cut
        return np.lexsort((fact_order(cut, edge), fact_order(cut, np.where(edge2 < 0, edge, edge2)), group))

    @property
    def _direct(self) -> int:
        return len(self.at) - len(self.on)

    def _edges(self, rows: Rows) -> tuple[Ids, Ids]:
        edge2 = np.full(len(rows), -1, np.int64)
        through = np.flatnonzero(rows >= self._direct)
        edge2[through] = self.out.edge[self.on[rows[through] - self._direct]]
        return self.first.edge[self.at[rows]], edge2


def fact_order(cut: Subgraph, edges: Ids) -> Ids:
    """Return keys that sort the facts of these edges by level, load and row, int64; they fit 40 bits."""
    return cut.level[edges].astype(np.int64) << 56 | cut.segment[edges].astype(np.int64) << 40 | cut.row[edges]

"""Facts of a store as columns, read page by page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.ports import Snapshot
from hydra_kg.steps.snapshots.snapshot_proxy import load_scanning
from hydra_kg.util.fast_dataclass import dataclass

_PAGE = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class FactColumns:
    """Facts as columns: links ``src``, ``dst``; values ``node``, ``literal``; ``pred``, ``segment``, ``row``."""

    links: Mapping[str, npt.NDArray[np.int64]]
    values: Mapping[str, npt.NDArray[np.int64]]
    literal: npt.NDArray[np.object_]

    def of_loads(self, loads: Sequence[int]) -> FactColumns:
        """Return the facts that some loads state."""
        linked, stated = (np.isin(c["segment"], loads) for c in (self.links, self.values))
        links = {name: column[linked] for name, column in self.links.items()}
        values = {name: column[stated] for name, column in self.values.items()}
        return FactColumns(links, values, self.literal[stated])


def read_facts(snapshot: Snapshot, loads: Sequence[int] | None) -> FactColumns:
    """Read the facts about the classes of some loads, of whatever load they are; of all classes for None."""
    links: dict[str, list[npt.NDArray[np.int64]]] = defaultdict(list)
    values: dict[str, list[npt.NDArray[np.int64]]] = defaultdict(list)
    texts: list[str] = []
    for page in _pages(snapshot, loads):
        cut = snapshot.cut(page.tolist(), depth=1, hops="paper")
        source, target = cut.ids[cut.src], cut.ids[cut.dst]
        # An edge belongs to the page of its source, or to that of its target if no page has its source.
        mine = np.isin(source, page) | (np.isin(target, page) if loads is not None else np.False_)
        named: dict[str, npt.NDArray[Any]] = {"src": source, "dst": target, "pred": cut.pred}
        named |= {"segment": cut.segment, "row": cut.row}
        stated = snapshot.values(page.tolist())
        texts += stated.literal
        value_columns: dict[str, npt.NDArray[Any]] = {"node": stated.node, "pred": stated.pred}
        value_columns |= {"segment": stated.segment, "row": stated.row}
        for name, column in named.items():
            links[name].append(column[mine].astype(np.int64))
        for name, column in value_columns.items():
            values[name].append(column.astype(np.int64))
    empty = np.zeros(0, np.int64)
    joined = {name: np.concatenate([empty, *links[name]]) for name in ("src", "dst", "pred", "segment", "row")}
    if loads is not None:
        order = np.lexsort((joined["row"], joined["segment"]))
        handles = np.stack([joined["segment"], joined["row"]])[:, order]
        first = np.sort(order[(np.diff(handles, prepend=-1) != 0).any(axis=0)])
        joined = {name: column[first] for name, column in joined.items()}
    literal = np.array(texts, np.object_)
    literals = {name: np.concatenate([empty, *values[name]]) for name in ("node", "pred", "segment", "row")}
    return FactColumns(joined, literals, literal)


def _pages(snapshot: Snapshot, loads: Sequence[int] | None) -> Iterator[Ids]:
    scanning = load_scanning(snapshot)
    if loads is not None and scanning is not None:
        classes = np.unique(np.concatenate([scanning.load_classes(load) for load in loads]))
        yield from (classes[at : at + _PAGE] for at in range(0, len(classes), _PAGE))
        return
    after: int | None = None
    while len(page := snapshot.all_classes(after=after, limit=_PAGE)):
        yield page
        after = int(page[-1])

"""Facts of a store as columns, read page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.ports import CodedValues, Snapshot, Things
from hydra_kg.steps.snapshots.snapshot_proxy import load_scanning
from hydra_kg.text.text_column import TextColumn
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.number_columns import contains, sort_distinct

_PAGE = 10_000
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class FactColumns:
    """Facts as columns: links ``src``, ``dst``; values ``node``, ``object``; ``pred``, ``segment``, ``row``.

    ``texts`` returns the literals of some distinct numbers in ``object``.
    """

    links: Mapping[str, npt.NDArray[Any]]
    values: Mapping[str, npt.NDArray[Any]]
    texts: Callable[[Ids], TextColumn]

    def of_loads(self, loads: Sequence[int]) -> FactColumns:
        """Return the facts that some loads state."""
        linked, stated = (np.isin(c["segment"], loads) for c in (self.links, self.values))
        if linked.all() and stated.all():
            return self
        links = {name: column[linked] for name, column in self.links.items()}
        values = {name: column[stated] for name, column in self.values.items()}
        return FactColumns(links, values, self.texts)


def read_facts(snapshot: Snapshot, loads: Sequence[int] | None) -> FactColumns:
    """Read the facts about the classes of some loads, of whatever load they are; of all classes for None."""
    links: dict[str, list[npt.NDArray[Any]]] = {name: [_NONE] for name in "src dst pred segment row".split()}
    values: dict[str, list[npt.NDArray[Any]]] = {name: [_NONE] for name in "node pred object segment row".split()}
    coded, texts = _value_reader(snapshot)
    for page in _pages(snapshot, loads):
        cut = snapshot.cut(page.tolist(), depth=1, hops="paper")
        source, target = cut.ids[cut.src], cut.ids[cut.dst]
        # An edge belongs to the page of its source, or to that of its target if no page has its source.
        mine = contains(page, source) | (contains(page, target) if loads is not None else np.False_)
        here: tuple[npt.NDArray[Any], ...] = source, target, cut.pred, cut.segment, cut.row
        for pages, column in zip(links.values(), here, strict=True):
            pages.append(column[mine])
        stated = coded(page)
        for name, pages in values.items():
            pages.append(getattr(stated, name))
    joined = {name: _join(columns) for name, columns in links.items()}
    if loads is not None:
        order = np.lexsort((joined["row"], joined["segment"]))
        handles = np.stack([joined["segment"], joined["row"]])[:, order]
        first = np.sort(order[(np.diff(handles, prepend=-1) != 0).any(axis=0)])
        joined = {name: column[first] for name, column in joined.items()}
    return FactColumns(joined, {name: _join(columns) for name, columns in values.items()}, texts)


def _join(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the pages of a column in one, in their type; the first is empty."""
    return np.concatenate(columns[1:] or columns)


def _value_reader(snapshot: Snapshot) -> tuple[Callable[[Ids], CodedValues], Callable[[Ids], TextColumn]]:
    """Return functions that read values with a number for each literal, and the literals of numbers."""
    if (scanning := load_scanning(snapshot)) is not None:
        return scanning.coded_values, scanning.texts
    numbers: dict[str, int] = {}

    def coded(nodes: Ids) -> CodedValues:
        found = snapshot.values(nodes.tolist())
        codes = [numbers.setdefault(text, len(numbers)) for text in found.literal]
        return CodedValues(found.node, found.pred, np.array(codes, np.int64), found.segment, found.row)

    def texts(wanted: Ids) -> TextColumn:
        known = list(numbers)
        return TextColumn.encode(known[n] for n in wanted.tolist())

    return coded, texts


def read_things(snapshot: Snapshot, nodes: Ids) -> Things:
    """Return the keys, names and types of classes as columns."""
    if (scanning := load_scanning(snapshot)) is not None:
        return scanning.things(nodes)
    pages = check_between(range(0, len(nodes), _PAGE), every=1)
    found = [entity for at in pages for entity in snapshot.entities(nodes[at : at + _PAGE].tolist())]
    named = [(n, text) for n, e in enumerate(found) for text in (e.node.name, *e.aliases)]
    return Things(
        TextColumn.encode(e.node.key for e in found),
        TextColumn.encode(e.node.name or e.node.key for e in found),
        np.array([n for n, _ in named], np.int64),
        TextColumn.encode(text for _, text in named),
        np.array([e.mediator for e in found], np.bool_),
        np.array([bool(e.types) for e in found], np.bool_),
    )


def _pages(snapshot: Snapshot, loads: Sequence[int] | None) -> Iterator[Ids]:
    scanning = load_scanning(snapshot)
    if loads is not None and scanning is not None:
        classes = sort_distinct(np.concatenate([scanning.load_classes(load) for load in loads]))
        yield from (classes[at : at + _PAGE] for at in range(0, len(classes), _PAGE))
        return
    after: int | None = None
    while len(page := snapshot.all_classes(after=after, limit=_PAGE)):
        yield page
        after = int(page[-1])

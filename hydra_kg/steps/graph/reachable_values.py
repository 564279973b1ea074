"""Where the facts about one thing lead: straight to things and values, or through the nameless nodes next to it."""

from __future__ import annotations

from typing import Final

from hydra_kg.domain import Predicates, Subgraph
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.phrases import phrase
from hydra_kg.ports import Snapshot
from hydra_kg.util.fast_dataclass import dataclass

MOST: Final = 100_000
"""Most facts of one thing that are read."""

Legs = tuple[tuple[int, bool], ...]
"""Places of predicates, each with whether it is read forward."""


@dataclass(frozen=True, slots=True)
class Way:
    """One or two legs (place of the predicate, whether read forward) to a thing or a value."""

    legs: Legs
    end: int | str

    @property
    def out(self) -> bool:
        """Return whether the thing is the subject.

        What a nameless node leads to is always said of the thing, whichever way the legs of the node are stored.
        """
        return len(self.legs) > 1 or self.legs[0][1]


Handles = dict[Way, list[tuple[int, int]]]


def ways_from(snapshot: Snapshot, graph: Subgraph, node: int) -> Handles:
    """Return the facts by where they lead, from a node and through the nameless nodes next to it."""
    sides: dict[int, list[tuple[int, bool, int, tuple[int, int]]]] = {}
    columns = (graph.ids[graph.src], graph.ids[graph.dst], graph.pred, graph.segment, graph.row)
    for src, dst, pred, segment, row in zip(*(c.tolist() for c in columns), strict=True):
        sides.setdefault(src, []).append((pred, True, dst, (segment, row)))
        sides.setdefault(dst, []).append((pred, False, src, (segment, row)))
    nameless = set(graph.ids[graph.mediator].tolist()) - {node}
    found: Handles = {}
    into: dict[int, list[tuple[int, bool, tuple[int, int]]]] = {}
    for pred, out, end, handle in sides.get(node, ()):
        if end in nameless:
            into.setdefault(end, []).append((pred, out, handle))
        else:
            found.setdefault(Way(((pred, out),), end), []).append(handle)
    for middle, first in into.items():
        for pred, out, end, handle in sides[middle]:
            if end != node:
                _add_mediated(found, first, (pred, out), end, handle)
    values = snapshot.values([node, *sorted(into)])
    types = {
        i for i, key in enumerate(snapshot.predicates().keys) if key in TYPE_KEYS
    }  # of a nameless node they say nothing
    stated = (values.node, values.pred, values.segment, values.row)
    for (at, pred, segment, row), literal in zip(
        zip(*(c.tolist() for c in stated), strict=True), values.literal, strict=True
    ):
        if at == node:
            found.setdefault(Way(((pred, True),), literal), []).append((segment, row))
        elif pred not in types:
            _add_mediated(found, into[at], (pred, True), literal, (segment, row))
    return found


def _add_mediated(
    found: Handles,
    first: list[tuple[int, bool, tuple[int, int]]],
    last: tuple[int, bool],
    end: int | str,
    handle: tuple[int, int],
) -> None:
    pred, out, into = first[0]
    found.setdefault(Way(((pred, out), last), end), []).extend([into, handle])


def key_of(predicates: Predicates, legs: Legs) -> str:
    """Return the key of a relation as a hop has it: ``a./b`` through a nameless node, ``^a`` if it is read backward."""
    return "./".join(("" if forward else "^") + predicates.keys[p] for p, forward in legs)


def words_of(predicates: Predicates, legs: Legs) -> str:
    """Return a relation in words."""
    return phrase(key_of(predicates, legs), predicates.texts[legs[-1][0]])

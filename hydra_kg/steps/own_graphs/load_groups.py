"""Finds loads with a schema of their own and groups those on the same things; each group is one graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Predicates
from hydra_kg.execution.own_graph import MOST_FACTS, is_ground, is_own
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.ports import Snapshot
from hydra_kg.steps.own_graphs.fact_columns import FactColumns
from hydra_kg.steps.snapshots.snapshot_proxy import load_scanning
from hydra_kg.util.fast_dataclass import dataclass

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class PredicateKinds:
    """Which predicates are own data's (``own``), and which only describe schemas (``ground``); bool, one each."""

    own: Mask
    ground: Mask

    @property
    def foreign(self) -> Mask:
        """Return which predicates are those of Freebase, Wikidata and their like."""
        return ~(self.own | self.ground)


def predicate_kinds(predicates: Predicates, *, every: bool = False) -> PredicateKinds:
    """Tell own predicates from others; with ``every``, all count as own that do more than describe schemas."""
    own = [is_own(k) or (every and not is_ground(k)) for k in predicates.keys]
    ground = [is_ground(k) or k in TYPE_KEYS for k in predicates.keys]
    return PredicateKinds(np.array(own, np.bool_), np.array(ground, np.bool_))


def own_loads(snapshot: Snapshot, kinds: PredicateKinds) -> list[int] | None:
    """Return the places of the loads that `_is_own_load` accepts; None if the snapshot cannot tell."""
    scanning = load_scanning(snapshot)
    if scanning is None:
        return None
    found = []
    for load in range(len(snapshot.manifest())):
        used, counts = scanning.load_predicates(load)
        own, foreign = (int(counts[mask[used]].sum()) for mask in (kinds.own, kinds.foreign))
        if _is_own_load(own, foreign):
            found.append(load)
    return found


def _is_own_load(own: int, foreign: int) -> bool:
    """Return True if most facts of a load are in own words, or if it only describes a schema."""
    return (own > foreign or own == foreign == 0) and own + foreign <= MOST_FACTS


def loads_in_own_words(facts: FactColumns, kinds: PredicateKinds) -> list[int]:
    """Return the places of the loads that `_is_own_load` accepts, by the facts themselves."""
    size = 1 + max((int(c["segment"].max()) for c in (facts.links, facts.values) if len(c["segment"])), default=-1)
    own, foreign = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for columns in (facts.links, facts.values):
        own += np.bincount(columns["segment"][kinds.own[columns["pred"]]], minlength=size)
        foreign += np.bincount(columns["segment"][kinds.foreign[columns["pred"]]], minlength=size)
    return [
        load for load, counts in enumerate(zip(own.tolist(), foreign.tolist(), strict=True)) if _is_own_load(*counts)
    ]


def group_loads(
    facts: FactColumns, loads: Sequence[int], kinds: PredicateKinds, predicates: Predicates
) -> list[list[int]]:
    """Group loads that share a thing or vocabulary (IRIs, not plain column names).

    Loads that only have a schema join all groups.
    """
    stating = _stating(facts, kinds)
    schemas = [load for load in loads if load not in stating]
    group = {load: load for load in loads if load in stating}

    def root(load: int) -> int:
        while group[load] != load:
            load = group[load]
        return load

    words = _sharing_words(facts, list(group), kinds, predicates)
    for one, other in (*_sharing_things(facts.of_loads(list(group)), kinds), *words):
        low, high = sorted((root(one), root(other)))
        group[high] = low
    members: dict[int, list[int]] = defaultdict(list)
    for load in sorted(group):
        members[root(load)].append(load)
    return [members[key] + schemas for key in sorted(members)]


def _stating(facts: FactColumns, kinds: PredicateKinds) -> set[int]:
    """Return the loads that state facts in own words."""
    columns = (facts.links, facts.values)
    return {load for c in columns for load in np.flatnonzero(np.bincount(c["segment"][kinds.own[c["pred"]]])).tolist()}


def _sharing_things(facts: FactColumns, kinds: PredicateKinds) -> Iterator[tuple[int, int]]:
    """Yield pairs of loads with own facts of one thing."""
    mine, stated = kinds.own[facts.links["pred"]], kinds.own[facts.values["pred"]]
    things = np.concatenate([facts.links["src"][mine], facts.links["dst"][mine], facts.values["node"][stated]])
    segment = facts.links["segment"][mine]
    loads = np.concatenate([segment, segment, facts.values["segment"][stated]])
    if not len(loads) or (loads == loads[0]).all():
        return
    pairs = np.stack([things, loads])[:, np.lexsort((loads, things))]
    pairs = pairs[:, np.r_[True, (np.diff(pairs) != 0).any(axis=0)]]
    same = np.flatnonzero(pairs[0, 1:] == pairs[0, :-1])
    joined = np.unique(np.stack([pairs[1, same], pairs[1, same + 1]]), axis=1)
    yield from zip(joined[0].tolist(), joined[1].tolist(), strict=True)


def _sharing_words(
    facts: FactColumns, loads: Sequence[int], kinds: PredicateKinds, predicates: Predicates
) -> Iterator[tuple[int, int]]:
    """Yield pairs of loads of which one uses IRIs of the other in most of its own facts."""
    named = kinds.own & np.array(["://" in key for key in predicates.keys], np.bool_)
    counts = {}
    for load in loads:
        mine = facts.of_loads([load])
        used = np.concatenate([mine.links["pred"], mine.values["pred"]])
        counts[load] = np.bincount(used[kinds.own[used]], minlength=len(predicates.keys))
    for one in loads:
        for other in loads:
            common = counts[one][named & (counts[other] > 0)].sum()
            if one != other and 2 * common > counts[one].sum() > 0:
                yield one, other

"""Distinction of relations with several values, such as the actors of a film, from those with one value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Fact, Ids, Index
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.fusion.gathering.sampling import Once, classes_from
from hydra_kg.fusion.gathering.store_claims import align_attributes
from hydra_kg.ports import Snapshot
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import is_literal
from hydra_kg.util.fast_dataclass import dataclass

SEVERAL: Final = 0.05
"""Share of subjects for which one source states several values, from which a relation takes several."""

SHARED: Final = 3
"""Least number of subjects that two sources must share before their agreement is used."""

AGREEING: Final = 0.2
"""Share of shared subjects with a common value, below which each source lists a part of several values."""

SAMPLED: Final = 3_000
"""Largest number of facts of a predicate that are sampled."""

_STARTS: Final = (None, *(1 << k for k in range(10, 63, 4)))
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class _ValuesPerSubject:
    several: bool = False
    links: bool = False


def takes_several_values(snapshot: Snapshot, predicate: str) -> bool:
    """Return True if a relation may have several values for one subject under the same circumstances.

    A sample of the store decides. Either some source lists several values, or sources that link the same subjects
    hardly ever name the same value. A relation with too few statements takes one value.
    """
    return _profiles(snapshot, predicate).several


def list_attributes(snapshot: Snapshot, attributes: Iterable[str], *, listener: Listener = ignore) -> frozenset[str]:
    """Return those of some attributes that link to several entities. Several numbers may be a disagreement.

    ``listener`` receives ``fuse.lists`` events.
    """
    wanted, predicates = set(attributes), snapshot.predicates()
    keys = [(k, name) for k, name in zip(predicates.keys, align_attributes(predicates), strict=True) if name in wanted]
    found = set()
    for done, (key, name) in enumerate(keys, 1):
        profile = _profiles(snapshot, key)
        if profile.several and profile.links:
            found.add(name)
        listener(Event("fuse.lists", {"done": done, "total": len(keys), "unit": "relations"}, 0.0))
    return frozenset(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Handles:
    """The predicates and the handles of some facts."""

    pred: Index
    segment: npt.NDArray[np.int16]
    row: Ids


def _sample(snapshot: Snapshot, page: int) -> tuple[_Handles, _Handles]:
    """Return the values and the links of a sample of classes, ``page`` after each of some ids."""
    classes = classes_from(snapshot, _STARTS, page)
    found = snapshot.values(classes), snapshot.cut(classes, depth=1, budget=200_000)
    values, links = (_Handles(f.pred, f.segment, f.row) for f in found)
    return values, links


_samples: Once[int, tuple[_Handles, _Handles]] = Once(_sample, most=2)


def _profile(snapshot: Snapshot, predicate: str) -> _ValuesPerSubject:
    """Count how many values each subject of a sample has for a predicate."""
    keys = snapshot.predicates().keys
    if predicate not in keys:
        return _ValuesPerSubject()
    number = keys.index(predicate)
    values, graph = _samples(snapshot, _PAGE)
    a, b = np.flatnonzero(values.pred == number), np.flatnonzero(graph.pred == number)
    step = max(1, (len(a) + len(b)) // SAMPLED)
    a, b = a[::step] if step == 1 else a[:SAMPLED], b[::step] if step == 1 else b[:SAMPLED]
    segment = np.concatenate((values.segment[a], graph.segment[b])).astype(np.int16)
    facts = snapshot.facts(segment, np.concatenate((values.row[a], graph.row[b])).astype(np.int64))
    objects_of = defaultdict[tuple[str, str, object], set[str]](set)
    for f in facts:
        objects_of[f.subject, f.source.name, f.qualifiers].add(f.object)
    listed = sum(len(own) > 1 for own in objects_of.values())
    links = len(b) > 0
    several = listed >= SEVERAL * len(objects_of) > 0
    return _ValuesPerSubject(several or (links and _lists_in_part(snapshot, facts)), links)


def _lists_in_part(snapshot: Snapshot, facts: Sequence[Fact]) -> bool:
    """Return True if sources hardly ever link a shared subject to the same entity, or to one of the same name."""
    links = [f for f in facts if not is_literal(f.object)]
    if len({f.source.group for f in links}) < 2:
        return False
    names = list(dict.fromkeys(k for f in links for k in (f.subject, f.object)))
    node = dict(zip(names, snapshot.lookup(names), strict=True))
    said = defaultdict[int | None, defaultdict[str, set[int | None]]](lambda: defaultdict(set))
    for f in links:
        said[node[f.subject]][f.source.group].add(node[f.object])
    groups = [by_origin for by_origin in said.values() if len(by_origin) > 1]
    ends = sorted({end for by_origin in groups for own in by_origin.values() for end in own if end is not None})
    known = snapshot.entities(ends) if ends else []
    called: dict[int | None, str] = {end: fold(e.node.name) for end, e in zip(ends, known, strict=True)}
    shared = [[{called.get(end) or end for end in own} for own in by_origin.values()] for by_origin in groups]
    agreeing = sum(sum(map(len, own)) > len(set().union(*own)) for own in shared)
    return len(shared) >= SHARED and agreeing < AGREEING * len(shared)


_profiles: Once[str, _ValuesPerSubject] = Once(_profile, most=512)

"""Fusion of the statements about one entity or one attribute, and its result as one JSON object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Node
from hydra_kg.errors import NotFoundError
from hydra_kg.events import Listener, ignore
from hydra_kg.fusion.conflicts.conflict import find_contested_values, holders
from hydra_kg.fusion.conflicts.fuse import Fused, Group, fuse, judge_claims
from hydra_kg.fusion.dependence.copy_detection import copies
from hydra_kg.fusion.gathering.claim_columns import every_row
from hydra_kg.fusion.gathering.several_values import list_attributes
from hydra_kg.fusion.gathering.store_claims import Circumstances, ClaimStatement, align_attributes, matching, statements
from hydra_kg.fusion.model.beliefs import Method
from hydra_kg.fusion.normalisation.claim_values import read_columns
from hydra_kg.ports import Snapshot

SAID: Final = 20
"""Largest number of attributes that an error names."""

THINGS: Final = 5
"""Largest number of entities with one name that are fused."""


def attributes_named(snapshot: Snapshot, asked: str) -> frozenset[str] | None:
    """Return the attributes that some words mean, or None, which means all, for "". Raises NotFoundError."""
    if not asked:
        return None
    names = align_attributes(snapshot.predicates())
    if not (found := matching(names, asked)):
        some = ", ".join(sorted(set(names))[:SAID])
        remedy = f"There are: {some}." if some else "Nothing is loaded yet: hydra-kg load FILE"
        raise NotFoundError(f"No source states an attribute called {asked!r}.", remedy=remedy)
    return frozenset(found)


def classes_named(snapshot: Snapshot, entity: str) -> list[int]:
    """Return the class of an id, or the classes of a name. Raises NotFoundError."""
    (known,) = snapshot.lookup([entity])
    if known is not None:
        return [known]
    for reach in ("exact", "tokens", "near"):
        (hits,) = snapshot.find([entity], limit=THINGS, reach=reach)
        if hits:
            return [h.node for h in hits]
    raise NotFoundError(f"No source knows {entity!r}.", remedy="Give its name as a source writes it, or its id.")


def fuse_entity(
    snapshot: Snapshot, entity: str, method: Method, *, attribute: str = ""
) -> tuple[Fused, Sequence[ClaimStatement]]:
    """Return the fused statements about an entity, and the statements themselves. Raises NotFoundError."""
    wanted = attributes_named(snapshot, attribute)
    stated = statements(snapshot, classes_named(snapshot, entity), attributes=wanted)
    return _fuse_statements(snapshot, stated, method), stated


def judge_by_entity(snapshot: Snapshot, groups: Iterable[Group], method: Method) -> Iterator[Group | None]:
    """Yield each group as the fusion of its entity alone judges it, or None if that finds no conflict of values.

    The whole store finds where sources differ. The probability of a value is always that of its entity, so that
    ``fuse``, its JSON and every page show one number for one belief.
    """
    known: dict[int, dict[tuple[str, Circumstances], Group]] = {}
    for group in groups:
        if group.entity not in known:
            alone = find_value_conflicts(snapshot, group.entity, method)
            known[group.entity] = {(g.attribute, g.when): g for g in alone}
        yield known[group.entity].get((group.attribute, group.when))


def find_value_conflicts(snapshot: Snapshot, entity: int, method: Method) -> list[Group]:
    """Return the statements about an entity on whose value sources differ, judged by what is stated of it alone."""
    alone = _fuse_statements(snapshot, statements(snapshot, [entity]), method).groups()
    return [g for g in alone if g.entity == entity and g.conflict is not None and g.conflict.kind == "value"]


def _fuse_statements(snapshot: Snapshot, stated: Sequence[ClaimStatement], method: Method) -> Fused:
    around = holders(snapshot, find_contested_values(stated))
    lists = list_attributes(snapshot, {s.attribute for s in stated})
    return fuse(stated, method, holders=around, representatives=partial(copies, snapshot), lists=lists)


def fuse_attribute(
    snapshot: Snapshot,
    method: Method,
    *,
    attribute: str = "",
    listener: Listener = ignore,
    differing: Callable[[Iterator[tuple[int, str]]], None] = lambda _: None,
) -> Fused:
    """Return the fused statements about one attribute of all entities, or about everything. Raises NotFoundError.

    ``listener`` and ``differing`` are told what was read and what seems to differ: see :func:`every_row`.
    """
    wanted = attributes_named(snapshot, attribute)
    rows = every_row(snapshot, attributes=wanted, listener=listener, differing=differing)
    reading = read_columns(rows, entity=str, listener=listener)
    claims = reading.claims
    contested = np.flatnonzero(claims.contested).tolist()
    lists = list_attributes(snapshot, {claims.keys[group][1] for group in contested}, listener=listener)
    return judge_claims(reading, method, lists=lists)


def document(
    fused: Fused,
    groups: Sequence[Group],
    by_id: Mapping[int, Node],
    kinds: Mapping[str, int],
    stated: Sequence[ClaimStatement] = (),
) -> dict[str, Any]:
    """Return the document of ``fuse --json``.

    - ``by_id``: the entities by id.
    - ``kinds``: the number of conflicts of each kind.
    - ``stated``: the statements to cite.
    """
    return {
        "version": 1,
        "method": fused.method,
        "claims": len(fused.reading.claims),
        "groups": len(fused.reading.claims.keys),
        "conflicts": dict(sorted(kinds.items())),
        "values": [describe_group(g, by_id[g.entity], stated) for g in groups],
        "copies": [list(names) for names in fused.copies()],
        "sources": [{"name": s, "reliability": round(r, 6), "claims": n} for s, (r, n) in fused.reliability.items()],
    }


def _explain_decision(group: Group) -> str:
    """Return why the first value is believed: its "sources" are more, their "reliability" is higher, or "nothing"."""
    first, second = group.values[0], max(group.values[1:], key=lambda v: v.probability)
    if round(first.probability - second.probability, 3) <= 0:
        return "nothing"
    return "sources" if len(first.sources) > max(len(v.sources) for v in group.values[1:]) else "reliability"


def describe_group(group: Group, node: Node, stated: Sequence[ClaimStatement] = ()) -> dict[str, Any]:
    """Return a group of values as JSON."""
    doc: dict[str, Any] = {
        "entity": {"id": node.key, "name": node.name},
        "attribute": group.attribute,
        "when": [list(pair) for pair in group.when],
        "values": [
            {"value": v.text, "confidence": v.probability, "believed": v.believed, "sources": list(v.sources)}
            for v in group.values
        ],
        "conflict": group.conflict.kind if group.conflict else None,
        "sentence": group.conflict.sentence if group.conflict else "",
        "decided_by": _explain_decision(group) if group.conflict else "",
    }
    if stated:
        doc["statements"] = [
            {
                "source": s.fact.source.name,
                "value": s.value.name,
                "fact": f"{s.fact.id:015x}",
                "locator": str(s.fact.locator),
            }
            for s in stated
            if (s.entity, s.attribute, s.when) == (group.entity, group.attribute, group.when)
        ]
    return doc

"""Collects the facts that one saved answer used from its own store, to show them on another server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field
from itertools import chain
from typing import Any, Final

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import Fact
from hydra_kg.ports import Snapshot
from hydra_kg.serialise import fact_key
from hydra_kg.stores.neo4j.connection.queries import type_name
from hydra_kg.text.literals import is_literal, literal_text
from hydra_kg.text.plain_text import storable
from hydra_kg.util.fast_dataclass import dataclass

ALIASES: Final = 10  # of an entity that are pushed

Doc = Mapping[str, Any]
Pair = tuple[str, str]


@dataclass(slots=True)
class Pushed:
    """The facts that one saved answer used.

    Attributes:
        rows: rows of ``trace_facts``.
        nodes: nodes that are needed in addition to the trace's own (mediators).
        details: names, aliases, types and descriptions of the nodes that are known.
        sources: the sources of the facts.
        missing: number of facts that were not found and are shown by their hops.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    nodes: dict[int, tuple[str, str]] = field(default_factory=dict)
    details: dict[int, dict[str, Any]] = field(default_factory=dict)
    sources: list[dict[str, Any]] = field(default_factory=list)
    missing: int = 0


def collect_pushed_facts(doc: Doc, snapshot: Snapshot) -> Pushed:
    """Return the facts of an answer's kept paths between their shown nodes, with source keys and locators."""
    out = Pushed()
    wanted: set[str] = set()
    pairs: dict[Pair, None] = {}
    literal: dict[Pair, None] = {}
    for hop in _evidence_hops(doc):
        a, b = hop["subject"]["id"], hop["object"]["id"]
        legs = [(a, b)]
        if hop.get("via"):  # a fact of another source may say in one leg what this one says in two
            via = hop["via"]["id"]
            legs += [(a, via), (via, b)]
            out.nodes[ids.encode(via)] = (via, "")
        for end in (hop["subject"], hop["object"]):
            out.nodes.setdefault(ids.encode(end["id"]), (end["id"], storable(end["name"] or end["id"])))
        wanted.update(f["fact"] for f in hop["sources"])
        for leg in legs:
            (literal if any(map(is_literal, leg)) else pairs)[leg] = None
    for (a, b), fact in chain(_facts(snapshot, list(pairs)), _literal_facts(snapshot, list(literal))):
        if (key := fact_key(fact.id)) in wanted:
            wanted.remove(key)
            out.rows.append(_row(a, b, fact))
    out.missing = len(wanted)
    out.sources = _sources(doc, snapshot)
    out.details = _details(snapshot, [key for key, _ in out.nodes.values()])
    return out


def _evidence_hops(doc: Doc) -> Iterator[Doc]:
    for p in (*doc["paths"], *(p for x in doc["explorations"] for p in x["paths"])):
        if p["kept"]:
            yield from p["hops"]


def _facts(snapshot: Snapshot, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Fact]]:
    """Yield the facts between pairs of classes, each as (key of the subject, key of the object) and the fact."""
    known = dict(zip(ends := sorted({k for pair in pairs for k in pair}), snapshot.lookup(ends), strict=True))
    asked = [(a, b, known[a], known[b]) for a, b in pairs if known[a] is not None and known[b] is not None]
    if not asked:
        return
    left, right = (np.array([row[i] for row in asked], np.int64) for i in (2, 3))
    links = snapshot.between(left, right)
    facts = snapshot.facts(links.segment, links.row)
    for pair, forward, fact in zip(links.pair.tolist(), links.forward.tolist(), facts, strict=True):
        a, b, _, _ = asked[pair]
        yield ((a, b) if forward else (b, a)), fact


def _literal_facts(snapshot: Snapshot, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Fact]]:
    subjects = sorted({a if is_literal(b) else b for a, b in pairs})
    known = {n: key for key, n in zip(subjects, snapshot.lookup(subjects), strict=True) if n is not None}
    # A hop shows one literal for what sources write with different datatypes.
    shown = {literal_text(k): k for pair in pairs for k in pair if is_literal(k)}
    values = snapshot.values(list(known))
    hit = [i for i, literal in enumerate(values.literal) if literal_text(literal) in shown]
    for i, fact in zip(hit, snapshot.facts(values.segment[hit], values.row[hit]), strict=True):
        yield (known[int(values.node[i])], shown[literal_text(values.literal[i])]), fact


def _row(subject: str, object_: str, fact: Fact) -> dict[str, Any]:
    """Return the properties of a fact in the trace."""
    own: dict[str, Any] = {
        "fid": fact.id,
        "source": storable(fact.source.name),
        "loc": storable(str(fact.locator)),
        "subject": storable(fact.subject),
        "object": storable(fact.object),
        "pushed": True,
    }
    if fact.rank:
        own["rank"] = fact.rank
    if fact.qualifiers:
        own["qualifiers"] = [storable(f"{k}: {v}") for k, v in fact.qualifiers]
    return {
        "subject": ids.encode(subject),
        "object": ids.encode(object_),
        "type": type_name(storable(fact.predicate)),
        "fid": fact.id,
        "properties": own,
    }


def _details(snapshot: Snapshot, keys: Sequence[str]) -> dict[int, dict[str, Any]]:
    """Return names, aliases, types and descriptions of entities."""
    entities = sorted(k for k in set(keys) if not is_literal(k))
    known = [(k, n) for k, n in zip(entities, snapshot.lookup(entities), strict=True) if n is not None]
    out = {}
    for (key, _), e in zip(known, snapshot.entities([n for _, n in known]), strict=True):
        more: dict[str, Any] = {
            "description": storable(e.description),
            "types": [*map(storable, e.types)],
            "aliases": [*map(storable, e.aliases[:ALIASES])],
        }
        more = {k: v for k, v in more.items() if v}
        out[ids.encode(key)] = {**more, "mediator": True} if e.mediator else {**more, "name": storable(e.node.name)}
    return out


def _sources(doc: Doc, snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return kind, licence, version and address of the sources that kept paths cite."""
    names = {f["source"] for hop in _evidence_hops(doc) for f in hop["sources"]}
    known = {s.name: s for load in snapshot.manifest() for s in load.sources}
    return [{k: v for k, v in asdict(known[n]).items() if v not in (None, "")} for n in sorted(names & known.keys())]

"""Show what is in a store to people who see it for the first time: sources, classes and relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

from rapidfuzz.distance import OSA

from hydra_kg.citations import label_of
from hydra_kg.domain import NameHit
from hydra_kg.fusion.gathering.store_claims import align_attributes
from hydra_kg.pages.page import web_link
from hydra_kg.ports import LikeNaming, NameCompleting, Snapshot
from hydra_kg.serving.entity_facts import count_relations, find_entity_by_text
from hydra_kg.serving.shortening import describe_hits, entity_rows, short
from hydra_kg.steps.schema.store_description import Description
from hydra_kg.steps.snapshots.snapshot_proxy import load_scanning
from hydra_kg.text.folding import fold

_TWO_LETTERS: Final = re.compile(r"([aou])e", re.IGNORECASE)
SIMILAR: Final = 30
"""Most names of similar spelling that are looked at."""

LEAST_SIMILAR: Final = 0.68
"""Least similarity of a name that completes a text."""

Json = dict[str, Any]
Load = Mapping[str, Any]

MOST: Final = 500
"""Most classes and relations that are stored, the largest first."""

COUNTED: Final = ("read", "kept", "dropped", "rejected", "duplicates", "unit", "format")
"""Fields of a load's report that say what became of its lines."""


def source_rows(loads: Iterable[Load]) -> list[Json]:
    """Return the loads that are in use or wait to be.

    Each has its sources, dates, licences and the numbers of lines that were kept, dropped or rejected.
    """
    return [_source(load) for load in loads if load["state"] in ("ready", "held") or load.get("held")]


def _source(load: Load) -> Json:
    details = load.get("details") or {}
    files = [
        {k: short(f[k]) if k == "name" else f[k] for k in ("name", "bytes", "lines") if k in f}
        for f in details.get("files", ())
    ]
    sources = [
        {
            "name": short(s["name"]),
            "kind": short(s.get("kind", "")),
            "licence": short(s.get("licence") or ""),
            "url": web_link(s.get("url") or ""),
        }
        for s in load["sources"]
    ]
    return {
        "name": short(load["name"]),
        "held": bool(load.get("held")),
        "facts": load["facts"],
        "created": load["created"],
        "counts": {k: v for k, v in (load.get("counts") or {}).items() if isinstance(v, int)},
        "sources": sources,
        "files": files,
        "report": {k: details[k] for k in COUNTED if k in details},
        "guessed": [short(line) for line in (details.get("described") or {}).get("lines", ())],
    }


def schema_rows(snapshot: Snapshot, found: Description, *, limit: int = MOST) -> Json:
    """Return the largest classes and relations, how these join classes, and how many there are of each.

    A relation has the number of its ``sources``, or 0 if that is unknown.
    """
    classes = [c for c in found.classes if c.examples] or list(found.classes)
    sources = _count_sources(snapshot)
    return {
        "facts": found.facts,
        "large": found.large,
        "classes": [{**asdict(c), "name": short(c.name)} for c in classes[:limit]],
        "relations": [{**asdict(r), "sources": sources.get(r.key, 0)} for r in found.relations[:limit]],
        "class_count": len(found.classes),
        "relation_count": len(found.relations),
    }


def _count_sources(snapshot: Snapshot) -> dict[str, int]:
    """Return how many sources state each predicate, also by another key with the same words."""
    scanning, predicates = load_scanning(snapshot), snapshot.predicates()
    if scanning is None:
        return {}
    names, found = align_attributes(predicates), dict[str, set[str]]()
    for place, load in enumerate(snapshot.manifest()):
        for number in scanning.load_predicates(place)[0].tolist():
            found.setdefault(names[number], set()).update(source.name for source in load.sources)
    return {key: len(found.get(name, ())) for key, name in zip(predicates.keys, names, strict=True)}


def completions(snapshot: Snapshot, text: str, *, limit: int) -> list[Json]:
    """Return things whose names begin with a text, each with its description.

    If there are none, things follow whose names are spelt similarly, the most similar first.
    """
    if not fold(text):
        return []
    names = snapshot.starting(text, limit=limit) if isinstance(snapshot, NameCompleting) else []
    rows: dict[str, Json] = {}
    for name in names:
        rows |= {row["id"]: row for row in entity_rows(snapshot, name, limit=3) if row["name"]}
    if names:
        return sorted(rows.values(), key=lambda row: -row["facts"])[:limit]
    hits = [*snapshot.find([text], limit=limit, reach="near")[0], *_spelt_similarly(snapshot, text)]
    alike: dict[str, float] = {}
    for hit, row in zip(hits, describe_hits(snapshot, hits), strict=True):
        if row["name"]:
            rows[row["id"]] = row
            alike[row["id"]] = max(alike.get(row["id"], 0.0), _similarity(text, hit.text))
    return sorted(rows.values(), key=lambda row: (-alike[row["id"]], -row["facts"]))[:limit]


def _spelt_similarly(snapshot: Snapshot, text: str) -> list[NameHit]:
    """Return names that share most groups of letters with a text, which may write an umlaut with two letters."""
    if not isinstance(snapshot, LikeNaming):
        return []
    found = snapshot.like(list({text, _TWO_LETTERS.sub(r"\1", text)}), limit=SIMILAR)
    return [hit for hits in found for hit in hits if _similarity(text, hit.text) >= LEAST_SIMILAR]


def _similarity(text: str, name: str) -> float:
    """Return how similar a text is to a name or to its beginning, 0 to 1; swapped letters count as one error."""
    own, other = fold(text), fold(name)
    texts = {own, _TWO_LETTERS.sub(r"\1", own)}
    return max(OSA.normalized_similarity(one, end) for one in texts for end in {other, other[: len(one)]})


def entity_relations(snapshot: Snapshot, text: str) -> Json:
    """Return an entity with its description and ids, and its relations with counts and one example each."""
    entity, relations, unread = count_relations(snapshot, text)
    return {
        "id": entity.node.key,
        "name": short(label_of(entity.node.name)),
        "description": short(entity.description),
        "kinds": [short(kind) for kind in entity.types[:8]],
        "aliases": [short(alias) for alias in entity.aliases[:12]],
        "ids": list(entity.keys),
        "total": sum(r.count for r in relations) + unread,
        "relations": [asdict(r) for r in relations],
    }


def passage_rows(snapshot: Snapshot, text: str, *, limit: int) -> list[Json]:
    """Return passages about an entity with their places."""
    entity = find_entity_by_text(snapshot, text)
    return [
        {
            "id": p.id,
            "title": short(p.title),
            "text": p.text[:2_000],
            "source": short(p.source.name),
            "locator": str(p.locator),
            "url": web_link(p.locator.url or ""),
        }
        for p in snapshot.passages([entity.node.id], limit=limit)
    ]

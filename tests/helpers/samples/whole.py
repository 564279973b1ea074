"""All that a store says about some keys and words, as one value: equal where two stores know the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from helpers.samples.alike import edges, reached

from hydra_kg.domain import Fact
from hydra_kg.ports import Snapshot, Store


def everything(store: Store, keys: Sequence[str], words: Sequence[str], *, handles: bool) -> dict[str, Any]:
    """What a store says. ``handles``: with the handles of facts, which only one store's states have in common."""
    with store.snapshot() as s:
        found = sorted({c for c in s.lookup(keys) if c is not None})
        every = np.array(found, np.int64)
        values = s.values(found)
        pairs = [(a, b) for a in found for b in found]
        left, right = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
        links = s.between(left, right)
        predicates = s.predicates()
        said: dict[str, Any] = {
            "manifest": [(i.name, i.sources, i.facts) for i in s.manifest()],
            "lookup": s.lookup(keys),
            "entities": s.entities(found),
            "find": [s.find(words, reach=reach) for reach in ("exact", "tokens", "near")],
            "predicates": [
                (k, predicates.texts[i], predicates.inverse[i], int(predicates.counts[i]))
                for i, k in enumerate(predicates.keys)
            ],
            "values": sorted(_facts(s.facts(values.segment, values.row))),
            "between": sorted(_facts(s.facts(links.segment, links.row))),
            "passages": [_passages(s, [], word) for word in words] + [_passages(s, found, "")],
            "pairs": s.relation_pairs().tolist(),
        }
        for hops in ("entity", "paper"):
            for depth, budget in ((1, 0), (2, 0), (3, 9), (2, 3)):
                cut = s.cut(every[:2].tolist(), depth=depth, hops=hops, budget=budget)  # type: ignore[arg-type]
                name = f"cut {hops} {depth} {budget}"
                said[name] = [reached(cut), sorted(_facts(s.facts(cut.segment, cut.row))), cut.truncated]
                if handles:
                    said[name].append(edges(cut))
        if handles:
            said["links"] = [c.tolist() for c in (links.pair, links.forward, links.pred, links.segment, links.row)]
            said["checksums"] = [(i.checksum, i.created) for i in s.manifest()]
    return said


def _facts(facts: Sequence[Fact]) -> list[tuple[Any, ...]]:
    return [
        (f.id, f.subject, f.predicate, f.object, f.source.name, str(f.locator), f.rank, f.confidence, f.qualifiers)
        for f in facts
    ]


def _passages(s: Snapshot, nodes: Sequence[int], query: str) -> list[tuple[Any, ...]]:
    return [
        (p.id, p.title, p.text, p.source.name, str(p.locator), p.node, round(p.score, 6))
        for p in s.passages(nodes, query=query, limit=50)
    ]

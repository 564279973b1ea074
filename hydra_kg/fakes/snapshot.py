"""Implement the snapshot port with dictionaries and no index, as a reference."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import (
    Entity,
    Fact,
    Floats,
    Hops,
    Ids,
    Links,
    LoadInfo,
    Locator,
    NameHit,
    Node,
    Passage,
    Predicates,
    Subgraph,
    Values,
)
from hydra_kg.fakes.cuts import Edge, cut
from hydra_kg.ports import Reach
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.typos import count_allowed_typos, nearest, within
from hydra_kg.util.fast_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class FakeFact:
    """One fact of a load. ``detail``: rank, confidence, qualifiers as JSON, locator."""

    s: int
    p: int
    o: int
    line: int
    source: int
    detail: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class FakeLoad:
    """One load as it was staged. ``names``: (node, kind, text), kind 0 name, 1 alias, 2 title."""

    info: LoadInfo
    nodes: set[int]
    links: list[FakeFact]
    values: list[FakeFact]
    mediators: set[int]
    terms: dict[int, str]
    names: list[tuple[int, int, str]]
    descriptions: set[tuple[int, str]]
    predicates: dict[int, tuple[str, str, str]]
    passages: list[tuple[int, str, str, str, int]]
    same_as: list[tuple[int, int]]
    file: str = field(default="")


class FakeSnapshot:
    """Implements :class:`hydra_kg.ports.Snapshot` over loads sorted by name."""

    def __init__(self, loads: Sequence[FakeLoad]) -> None:
        self.loads = loads
        self.members = _classes(loads)
        self.cls = {i: c for c, members in self.members.items() for i in members}
        self.classes = sorted(self.members)
        self.place = {c: n for n, c in enumerate(self.classes)}
        known = {p for load in loads for p in load.predicates}
        self.preds = sorted(known | {row.p for load in loads for row in (*load.links, *load.values)})
        self.edges = [
            Edge(self.cls[row.s], self.preds.index(row.p), self.cls[row.o], n, at)
            for n, load in enumerate(loads)
            for at, row in enumerate(load.links)
        ]
        self.degree = dict.fromkeys(self.classes, 0)
        for edge in self.edges:
            self.degree[edge.src] += 1
            self.degree[edge.dst] += 1
        named = {self.cls[node] for load in loads for node, kind, text in load.names if kind != 1 and text}
        self.mediators = {self.cls[i] for load in loads for i in load.mediators} - named

    def manifest(self) -> tuple[LoadInfo, ...]:
        return tuple(load.info for load in self.loads)

    def predicates(self) -> Predicates:

        def first(p: int, part: int) -> str:
            return next((t for load in self.loads if (t := load.predicates.get(p, ("", "", ""))[part])), "")

        counts = [sum(row.p == p for load in self.loads for row in (*load.links, *load.values)) for p in self.preds]
        keys, texts, inverse = (tuple(first(p, part) for p in self.preds) for part in range(3))
        return Predicates(np.array(self.preds, np.int64), keys, texts, inverse, np.array(counts, np.int64))

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        return [self._find(text.encode("utf-8", "replace").decode(), limit, reach) for text in names]

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        return [self.cls.get(ids.encode(key)) for key in keys]

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        return [self._entity(i) for i in nodes]

    def cut(
        self,
        topics: Sequence[int],
        *,
        depth: int,
        hops: Hops = "entity",
        rank: Floats | None = None,
        budget: int = 0,
        hub_cap: int = 0,
    ) -> Subgraph:
        start = sorted({self.cls[i] for i in topics if i in self.cls})
        return cut(
            self.classes,
            self.edges,
            self.mediators,
            start,
            depth=depth,
            hops=hops,
            rank=[0.0] * len(self.preds) if rank is None else list(map(float, rank)),
            budget=budget,
            hub_cap=hub_cap,
        )

    def values(self, nodes: Sequence[int]) -> Values:
        found = [
            (self.cls[i], self.preds.index(row.p), self._key(row.o), n, ~at)
            for i in nodes
            if i in self.cls
            for n, load in enumerate(self.loads)
            for at, row in enumerate(load.values)
            if self.cls[row.s] == self.cls[i]
        ]
        node, pred, literal, segment, row = zip(*found, strict=True) if found else ((),) * 5
        return Values(
            np.array(node, np.int64),
            np.array(pred, np.int32),
            tuple(literal),
            np.array(segment, np.int16),
            np.array(row, np.int64),
        )

    def between(self, left: Ids, right: Ids) -> Links:
        """Return the links sorted by (pair, forward first, predicate, segment, row)."""
        found = []
        for n, pair in enumerate(zip(np.asarray(left).tolist(), np.asarray(right).tolist(), strict=True)):
            a, b = (self.cls.get(i) for i in pair)
            found += [(n, False, e.pred, e.segment, e.row) for e in self.edges if (e.src, e.dst) == (a, b)]
            found += [(n, True, e.pred, e.segment, e.row) for e in self.edges if (e.src, e.dst) == (b, a) and a != b]
        pair_, back, pred, segment, row = zip(*sorted(found), strict=True) if found else ((),) * 5
        return Links(
            np.array(pair_, np.int32),
            ~np.array(back, np.bool_),
            np.array(pred, np.int32),
            np.array(segment, np.int16),
            np.array(row, np.int64),
        )

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        return [self._fact(int(n), int(at)) for n, at in zip(segment, row, strict=True)]

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        """Return passages about the classes, then those that share words with the query, more shared words first."""
        wanted, words = {self.cls[i] for i in nodes if i in self.cls}, set(tokens(query))
        found = []
        for n, load in enumerate(self.loads):
            for at, (node, title, url, text, line) in enumerate(load.passages):
                score = float(len(words & set(tokens(f"{title} {text}"))))
                about = self.cls.get(node, 0) if node else 0
                if about in wanted or score:
                    source = load.info.sources[0]
                    key = f"{source.name}:{n}:{at}"
                    passage = Passage(key, title, text, source, Locator(load.file, line, title, url), about, score)
                    found.append(((about not in wanted, -score, n, at), passage))
        return [passage for _, passage in sorted(found, key=lambda f: f[0])[:limit]]

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        return np.array([c for c in self.classes if after is None or c > after][:limit], np.int64)

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        """Return every two facts of every mediator; the ends may be equal only if the facts are not."""
        legs: dict[int, list[tuple[int, int, int]]] = {c: [] for c in self.mediators}
        for n, e in enumerate(self.edges):
            if e.dst in legs and e.src not in self.mediators:
                legs[e.dst].append((e.pred, 1, n))
            if e.src in legs and e.dst not in self.mediators:
                legs[e.src].append((e.pred, 0, n))
        pairs = {(a[0], a[1], b[0], 1 - b[1]) for found in legs.values() for a in found for b in found if a[2] != b[2]}
        return np.array(sorted(pairs), np.int32).reshape(-1, 4)

    def _key(self, number: int) -> str:
        own = ids.decode(number)
        return own if own is not None else next((load.terms[number] for load in self.loads if number in load.terms), "")

    def _ranked(self, c: int, texts: Iterable[tuple[int, int, str]]) -> str:
        """Return the first text of (load, node, text), with names outside the representative's name space last.

        Ties are broken by load and node.
        """
        found = [(_space(node) != _space(c), n, node, text) for n, node, text in texts if text]
        return min(found)[3] if found else ""

    def _label(self, c: int) -> str:
        labels = []
        for n, load in enumerate(self.loads):
            for node in self.members[c]:
                own = sorted((kind, text) for i, kind, text in load.names if i == node and kind != 1)
                labels += [(n, node, own[0][1])] if own else []
        return self._ranked(c, labels)

    def _entity(self, number: int) -> Entity:
        if number not in self.cls:
            key = ids.decode(number) or ""
            return Entity(Node(number, key, key))
        c = self.cls[number]
        members, key = self.members[c], self._key(c)
        name = self._label(c) or key
        typing = set(map(ids.encode, ids.TYPE_KEYS))
        types = {self._key(r.o) for load in self.loads for r in load.values if r.s in members and r.p in typing}
        linked = {self.cls[r.o] for load in self.loads for r in load.links if r.s in members and r.p in typing}
        texts = []
        for n, load in enumerate(self.loads):
            for node in members:
                own = sorted((-len(text), text) for i, text in load.descriptions if i == node)
                texts += [(n, node, own[0][1])] if own else []
        return Entity(
            Node(c, key, name),
            keys=tuple(sorted(map(self._key, members))),
            aliases=tuple(sorted({t for load in self.loads for i, _, t in load.names if i in members} - {name})),
            types=tuple(sorted(types | {self._label(t) or self._key(t) for t in linked})),
            description=self._ranked(c, texts),
            degree=self.degree[c],
            mediator=c in self.mediators,
        )

    def _fact(self, segment: int, at: int) -> Fact:
        load = self.loads[segment]
        rows, place = (load.values, ~at) if at < 0 else (load.links, at)
        row = rows[place]
        ordinal = sum((r.s, r.p, r.o, r.source) == (row.s, row.p, row.o, row.source) for r in rows[:place])
        source = load.info.sources[row.source]
        s, p, o = self._key(row.s), load.predicates[row.p][0], self._key(row.o)
        rank, confidence, qualifiers, where = row.detail
        locator = Locator.at(where, file=load.file, line=row.line)
        return Fact(
            ids.fact_id(s, p, o, source.name, ordinal),
            s,
            p,
            o,
            source,
            locator,
            rank,
            confidence,
            tuple((k, v) for k, v in json.loads(qualifiers)),
        )

    def _find(self, text: str, limit: int, reach: Reach) -> list[NameHit]:
        asked, folded = set(tokens(text)), fold(text)
        names = [(self.cls[i], kind, t) for load in self.loads for i, kind, t in load.names]
        hits = [name for name in names if folded and fold(name[2]) == folded]
        how = ""
        if not hits and asked and reach != "exact":
            how = "tokens"
            hits = [name for name in names if asked <= set(tokens(name[2]))]
        if not hits and asked and reach == "near":
            how = "near"
            meant = [set(self._meant(word)) for word in asked]
            hits = [name for name in names if all(words & set(tokens(name[2])) for words in meant)]
        best = {c: min((kind, t) for own, kind, t in hits if own == c) for c, _, _ in hits}
        order = sorted(best, key=lambda c: (-self.degree[c], c))[:limit]
        return [
            NameHit(c, best[c][1], how or ("name" if best[c][0] == 0 else "alias"), self.degree[c])  # type: ignore[arg-type]
            for c in order
        ]

    def _meant(self, word: str) -> list[str]:
        if not count_allowed_typos(word):
            return [word]
        words = [t for load in self.loads for _, _, text in load.names for t in set(tokens(text))]
        return nearest(within(word, count_allowed_typos(word), [(t, 1) for t in words]))


def _space(number: int) -> int:
    return ids.MID if number & 7 == ids.GID else number & 7


def _classes(loads: Sequence[FakeLoad]) -> dict[int, list[int]]:
    """Return members by representative.

    Components are joined one link at a time. Then those that must not be joined are split.
    """
    group = {i: {i} for load in loads for i in load.nodes}
    for load in loads:
        for a, b in load.same_as:
            joined = group[a] | group[b]
            for i in joined:
                group[i] = joined
    typing = set(map(ids.encode, ids.TYPE_KEYS))
    general = ids.encode("common.topic")

    def types(node: int) -> set[int]:
        rows = [r for load in loads for r in (*load.values, *load.links)]
        return {r.o for r in rows if r.s == node and r.p in typing} - {general}

    def alike(a: int, b: int) -> bool:
        same_space = _space(a) == _space(b) and _space(a) in (ids.MID, ids.QID)
        return not same_space or not types(a) or not types(b) or bool(types(a) & types(b))

    out: dict[int, list[int]] = {}
    for i, members in group.items():
        fused = len(members) <= 8 and all(alike(a, b) for a in members for b in members if a < b)
        own = sorted(members) if fused else [i]
        out[min(own, key=lambda m: (m & 7, m >> 3))] = own
    return out

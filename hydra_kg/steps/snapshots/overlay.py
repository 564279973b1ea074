"""Overlay of a snapshot with hops from text as temporary edges (HydraRAG §1, §4.2.1), so that paths mix both."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Fact, Hops, Ids, Index, Links, LoadInfo, Predicates, Source, Subgraph
from hydra_kg.errors import UsageError
from hydra_kg.ports import CutOptions, Snapshot
from hydra_kg.steps.snapshots.caching_snapshot import Cuts
from hydra_kg.steps.snapshots.merge_subgraphs import Union, touching
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.number_columns import put_at, take_rows

Segments = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class TextEdge:
    """A linked hop from text: class ids, the phrase (untrusted data), and its fact, source and span."""

    subject: int
    phrase: str
    object: int
    fact: Fact


class Overlay(SnapshotProxy):
    """A :class:`hydra_kg.ports.Snapshot` over another one, with temporary edges of this question.

    Each source of the edges counts as one more load, each phrase that is no key yet as one more predicate. Both come
    after those of ``inner``, in the order of ``edges``, so that an overlay over an overlay keeps the handles and
    predicates of the first. Edges with an end that is no class of ``inner`` are left out, and so are edges with a
    mediator (it has no name that a text could mean) and facts that are already there. Degrees, names, passages and
    values are those of ``inner``, whose arrays are never written to. Raises UsageError for more loads than handles can
    number.
    """

    def __init__(self, inner: Snapshot, edges: Sequence[TextEdge]) -> None:
        super().__init__(inner.inner if isinstance(inner, Overlay) else inner)
        self._degrees: dict[int, int] = {}
        inherited: tuple[TextEdge, ...] = ()
        if isinstance(inner, Overlay):
            self._degrees, inherited = dict(inner._degrees), inner.edges
        asked = sorted({end for e in edges for end in (e.subject, e.object)} - self._degrees.keys())
        known = zip(asked, self.inner.entities(asked) if asked else [], strict=True)
        self._degrees.update((i, e.degree) for i, e in known if e.keys and e.node.id == i and not e.mediator)
        fit = (e for e in edges if e.subject in self._degrees and e.object in self._degrees)
        self.edges: tuple[TextEdge, ...] = _distinct((*inherited, *fit))
        self._stored, self._loads = self.inner.predicates(), self.inner.manifest()
        self._predicates, self._pred = _with_phrases(self._stored, self.edges)
        self._text_loads, self._segment, self._row = _text_loads(self.edges, first=len(self._loads))
        self._cuts = Cuts(self._cut)

    def manifest(self) -> tuple[LoadInfo, ...]:
        """Return the stored loads, then one for each source of text in the order of the edges."""
        return (*self._loads, *self._text_loads)

    def predicates(self) -> Predicates:
        """Return the stored predicates, then the phrases, whose ids are valid only here."""
        return self._predicates

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        """Cut the graph as if the temporary edges were stored.

        Nodes that text brings nearer are expanded in the store, within the budget that is left. The budget and the hub
        cap ignore temporary edges; ``dropped`` and ``skipped_hubs`` are lower bounds.
        """
        if (rank := options.get("rank")) is not None and len(rank) == len(self._predicates.ids):
            options["rank"] = rank[: len(self._stored.ids)]
        return self._cuts(topics, depth=depth, **options)

    def _cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        graph = self.inner.cut(topics, depth=depth, **options)
        hops, budget, hub_cap = options.get("hops", "entity"), options.get("budget", 0), options.get("hub_cap", 0)
        waiting = [*range(len(self.edges))]
        union, left = Union(graph), budget - len(graph)
        for hop in range(depth if waiting else 0):
            far = union.depths(self._degrees)
            near = {c for c, d in far.items() if d == hop}
            found = [n for n in waiting if near & {self.edges[n].subject, self.edges[n].object}]
            if not found:
                continue
            waiting = [n for n in waiting if n not in found]
            union.add(self._drawn(found, hop))
            nearer = [c for c in sorted(_ends(self.edges[n] for n in found)) if far.get(c, depth) > hop + 1]
            if hub_cap > 0:
                nearer = [c for c in nearer if self._degrees[c] <= hub_cap]
            graph, rest = union.graph, depth - hop - 1
            if nearer and rest and budget > 0 >= left:
                union.graph = replace(graph, truncated=True, dropped=max(1, graph.dropped))
            elif nearer and rest:
                options["budget"] = max(0, left)
                more = self.inner.cut(nearer, depth=rest, **options)
                done = _expanded(graph, depth, hops, hub_cap)
                done[np.searchsorted(graph.ids, [c for c in nearer if far.get(c, depth) >= depth])] = False
                new = more.select(~touching(more, graph, done))
                union.add(new, farther=hop + 1)
                left -= len(new)
        return union.whole()

    def between(self, left: Ids, right: Ids) -> Links:
        """Return the stored and the temporary facts between the classes of each pair."""
        stored = self.inner.between(left, right)
        left, right = np.asarray(left, np.int64), np.asarray(right, np.int64)
        ends = np.array(sorted(_ends(self.edges)), np.int64)
        pairs = np.flatnonzero(np.isin(left, ends) & np.isin(right, ends))
        rows = [
            (pair, e.subject == a, n)
            for pair, a, b in zip(pairs.tolist(), left[pairs].tolist(), right[pairs].tolist(), strict=True)
            for n, e in enumerate(self.edges)
            if (e.subject, e.object) in {(a, b), (b, a)}
        ]
        if not rows:
            return stored
        at = np.array([n for _, _, n in rows], np.int64)
        pair = np.concatenate([stored.pair, np.array([p for p, _, _ in rows], np.int32)])
        forward = np.concatenate([stored.forward, np.array([f for _, f, _ in rows], np.bool_)])
        pred = np.concatenate([stored.pred, self._pred[at]])
        segment = np.concatenate([stored.segment, self._segment[at]])
        row = np.concatenate([stored.row, self._row[at]])
        order = np.lexsort((row, segment, pred, ~forward, pair))
        return Links(pair[order], forward[order], pred[order], segment[order], row[order])

    def facts(self, segment: Segments, row: Ids) -> list[Fact]:
        """Return facts with provenance, each from the place of its handle."""
        stored = segment < len(self._loads)
        found = iter(self.inner.facts(segment[stored], row[stored]))
        handles = zip(self._segment.tolist(), self._row.tolist(), strict=True)
        own = {handle: e.fact for handle, e in zip(handles, self.edges, strict=True)}
        asked = zip(stored.tolist(), segment.tolist(), row.tolist(), strict=True)
        return [next(found) if is_stored else own[s, r] for is_stored, s, r in asked]

    def _drawn(self, edges: Sequence[int], hop: int) -> Subgraph:
        """Return the edges found at a hop as a cut of their own, as if all its classes were one hop farther."""
        ids, at = np.array(sorted(_ends(self.edges[n] for n in edges)), np.int64), np.array(edges, np.int64)
        return Subgraph(
            ids=ids,
            mediator=np.zeros(len(ids), np.bool_),
            degree=np.array([self._degrees[c] for c in ids.tolist()], np.int32),
            nodes=np.arange(len(ids), dtype=np.int32),
            depth=np.full(len(ids), hop + 1, np.int8),
            src=np.searchsorted(ids, [self.edges[n].subject for n in edges]).astype(np.int32),
            dst=np.searchsorted(ids, [self.edges[n].object for n in edges]).astype(np.int32),
            pred=self._pred[at],
            segment=self._segment[at],
            row=self._row[at],
            level=np.full(len(at), hop, np.int8),
            topics=np.empty(0, np.int32),
        )


def _expanded(graph: Subgraph, depth: int, hops: Hops, hub_cap: int) -> npt.NDArray[np.bool_]:
    """Return which classes a cut of this depth expanded, bool (N,).

    Classes that are topics only in spite of the cap are left out.
    """
    nodes = graph.nodes
    done = graph.depth < depth
    if hops == "entity":
        done |= take_rows(graph.mediator, nodes)
    if hub_cap > 0:
        done &= take_rows(graph.degree, nodes) <= hub_cap
    out = np.zeros(len(graph.ids), np.bool_)
    put_at(out, nodes, done)
    return out


def _ends(edges: Iterable[TextEdge]) -> set[int]:
    return {end for e in edges for end in (e.subject, e.object)}


def _distinct(edges: Iterable[TextEdge]) -> tuple[TextEdge, ...]:
    """Return the facts without repetition: the first of those between the same ends."""
    found: dict[tuple[int, str, int, int], TextEdge] = {}
    for e in edges:
        found.setdefault((e.subject, e.phrase, e.object, e.fact.id), e)
    return tuple(found.values())


def _with_phrases(stored: Predicates, edges: Sequence[TextEdge]) -> tuple[Predicates, Index]:
    """Return the predicates with the phrases of the edges, and the predicate of each edge (int32)."""
    size = len(stored.ids)
    place = dict(zip(stored.keys, range(size), strict=True))
    phrase_counts = Counter(e.phrase for e in edges if e.phrase not in place)
    new = tuple(phrase_counts)
    place.update(zip(new, range(size, size + len(new)), strict=True))
    last = int(stored.ids[-1]) if size else 0
    predicates = Predicates(
        np.concatenate([stored.ids, last + 1 + np.arange(len(new), dtype=np.int64)]),
        stored.keys + new,
        stored.texts + new,
        stored.inverse + ("",) * len(new),
        np.concatenate([stored.counts, np.array([phrase_counts[p] for p in new], np.int64)]),
    )
    return predicates, np.array([place[e.phrase] for e in edges], np.int32)


def _text_loads(edges: Sequence[TextEdge], *, first: int) -> tuple[tuple[LoadInfo, ...], Segments, Ids]:
    """Return one load for each source of the edges, and the handle (segment, row) of each edge.

    The loads are numbered from ``first``.
    """
    facts: dict[Source, list[Fact]] = {}
    handles = []
    for e in edges:
        source_facts = facts.setdefault(e.fact.source, [])
        handles.append((first + [*facts].index(e.fact.source), len(source_facts)))
        source_facts.append(e.fact)
    if first + len(facts) > np.iinfo(np.int16).max:
        raise UsageError(
            f"{first} loads and {len(facts)} sources of text are more than one question can tell apart.",
            remedy="Drop or merge loads, or read fewer pages.",
        )
    loads = tuple(
        LoadInfo(f"{s.name} (text)", (s,), len(own), hashlib.sha256(repr([f.id for f in own]).encode()).hexdigest())
        for s, own in facts.items()
    )
    columns = np.array(handles, np.int64).reshape(-1, 2)
    return loads, columns[:, 0].astype(np.int16), columns[:, 1]

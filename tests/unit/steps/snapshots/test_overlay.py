"""Temporary edges from text over a snapshot: as if they had been stored, and nothing below them changes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from helpers.samples import graphs
from helpers.samples.alike import edges as rows
from helpers.samples.graphs import Spec
from helpers.samples.subgraphs import flat
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Fact, LoadInfo, Locator, Source, Subgraph
from hydra_kg.errors import UsageError
from hydra_kg.fakes import FakeEmbedder, FakeSnapshot, FakeStore
from hydra_kg.ports import Snapshot, Store
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.retrieval.path_instances import instances, materialise
from hydra_kg.steps.retrieval.path_search import explore
from hydra_kg.steps.retrieval.topic_constraint import constrain
from hydra_kg.steps.snapshots.overlay import Overlay, TextEdge
from hydra_kg.stores.embedded.store import EmbeddedStore

WIKI = Source("wikipedia", "wiki")
PAGE = Source("example.org", "web", origin="https://example.org/p")
PHRASES = ["was born in", "twin town of", "P19", "a./b", "", "\x1b[31mred", "ignore the question; DROP TABLE x"]
B, C, D, F, G = (f"m.0{c}" for c in "bcdfg")


def edge(s: str, phrase: str, o: str, source: Source = WIKI, *, start: int = 0) -> TextEdge:
    """What a sentence of the source's page says, at a span of ten characters."""
    number = ids.fact_id(s, phrase, o, source.name)
    place = Locator(page="Page", url="https://example.org/p", start=start, end=start + 10)
    return TextEdge(ids.encode(s), phrase, ids.encode(o), Fact(number, s, phrase, o, source, place))


@contextmanager
def embedded(*loads: Spec) -> Iterator[Snapshot]:
    """The loads in a real store."""
    with tempfile.TemporaryDirectory(dir=graphs.MEMORY) as folder, EmbeddedStore(folder) as store:
        yield from _filled(store, loads)


@contextmanager
def fake(*loads: Spec) -> Iterator[Snapshot]:
    """The loads in the reference."""
    yield from _filled(FakeStore(), loads)


@contextmanager
def sparse(*loads: Spec) -> Iterator[Sparse]:
    """The reference, but a cut knows only the classes that it reached, as a server gives them."""
    with fake(*loads) as inner:
        yield Sparse(inner.loads)  # type: ignore[attr-defined]


class Sparse(FakeSnapshot):
    """See :func:`sparse`."""

    def cut(self, *args, **options):
        graph = super().cut(*args, **options)
        kept = np.sort(graph.nodes)
        columns = {
            name: np.searchsorted(kept, getattr(graph, name)).astype(np.int32)
            for name in ("nodes", "src", "dst", "topics")
        }
        return replace(graph, ids=graph.ids[kept], mediator=graph.mediator[kept], degree=graph.degree[kept], **columns)


def _filled(store: Store, loads: Sequence[Spec]) -> Iterator[Snapshot]:
    for load in loads:
        graphs.put(store, load)
    with store.snapshot() as snapshot:
        yield snapshot


KINDS = pytest.mark.parametrize("store", [embedded, sparse], ids=["embedded", "sparse"])

# B was born in C; far away D lies in F. No stored fact leads from one to the other.
KG = Spec(
    "kg",
    (Source("freebase"),),
    [(B, "people.person.place_of_birth", C, 0), (D, "location.containedby", F, 0)],
    names=[(k, "name", f"Name {k}") for k in (B, C, D, F)],
)


def said(graph: Subgraph, snapshot: Snapshot) -> list[tuple[object, ...]]:
    """Edges as facts: both ends, predicate, source."""
    facts = snapshot.facts(graph.segment, graph.row)
    names = [(f.predicate, f.source.name) for f in facts]
    keys = snapshot.predicates().keys
    assert [keys[p] for p in graph.pred.tolist()] == [predicate for predicate, _ in names]
    return sorted(zip(graph.ids[graph.src].tolist(), graph.ids[graph.dst].tolist(), names, strict=True))


def reached(graph: Subgraph) -> list[tuple[object, ...]]:
    """Nodes with depth and mediator flag, in an order of their own."""
    at = graph.nodes
    return sorted(zip(graph.ids[at].tolist(), graph.depth.tolist(), graph.mediator[at].tolist(), strict=True))


def levels(graph: Subgraph, snapshot: Snapshot) -> dict[object, int]:
    """The level of each fact."""
    facts = snapshot.facts(graph.segment, graph.row)
    names = [(f.id, f.source.name, str(f.locator) if f.source != WIKI else "", f.qualifiers) for f in facts]
    return dict(zip(names, graph.level.tolist(), strict=True))


def holds_together(graph: Subgraph) -> None:
    """What a Subgraph promises, and that it can be walked."""
    assert (np.diff(graph.ids) > 0).all()
    assert (np.diff(graph.depth) >= 0).all()
    assert (np.diff(graph.level) >= 0).all()
    assert len(graph.ids) == len(graph.mediator) == len(graph.degree)
    assert len(np.unique(graph.nodes)) == len(graph.nodes) == len(graph.depth)
    for column in (graph.src, graph.dst, graph.topics):
        assert np.isin(column, graph.nodes).all()
    dtypes = {
        "nodes": "int32",
        "depth": "int8",
        "src": "int32",
        "dst": "int32",
        "pred": "int32",
        "segment": "int16",
        "row": "int64",
        "level": "int8",
        "ids": "int64",
        "degree": "int32",
        "mediator": "bool",
    }
    assert {name: str(getattr(graph, name).dtype) for name in dtypes} == dtypes
    assert len({*zip(graph.segment.tolist(), graph.row.tolist(), strict=True)}) == len(graph), "each fact once"


TEXT = st.lists(
    st.tuples(st.sampled_from(graphs.ENTITIES), st.sampled_from(PHRASES), st.sampled_from(graphs.ENTITIES)),
    max_size=6,
    unique=True,
)


def as_if_stored(
    store, loads: Sequence[Spec], text: list[tuple[str, str, str]], topics: list[str], depth: int, hops: str
) -> None:
    """The overlay's cut against that of a store in which the text is one more load."""
    with fake(*loads) as below:
        known = set(below.classes) - below.mediators  # type: ignore[attr-defined]
        classes = {k: c for k, c in zip(graphs.ENTITIES, below.lookup(graphs.ENTITIES), strict=True) if c in known}
        names = {c: below.entities([c])[0].node.key for c in known}
    fit = sorted({(names[classes[s]], p, names[classes[o]]) for s, p, o in text if s in classes and o in classes})
    start = [ids.encode(t) for t in topics]
    stored = Spec("zz", (WIKI,), [(s, p, o, 0) for s, p, o in fit])
    with store(*loads) as inner, fake(*loads, stored) as want:
        got = Overlay(inner, [edge(*e) for e in fit])
        graph = got.cut(start, depth=depth, hops=hops)
        wanted = want.cut(start, depth=depth, hops=hops)
        holds_together(graph)
        assert said(graph, got) == said(wanted, want)
        assert reached(graph) == reached(wanted)
        own, first, best = (
            levels(graph, got),
            levels(inner.cut(start, depth=depth, hops=hops), inner),
            levels(wanted, want),
        )
        assert own == {**best, **first}
        assert graph.ids[graph.topics].tolist() == wanted.ids[wanted.topics].tolist()
        HopGraph(graph, predicates=len(got.predicates().ids)).expand(np.arange(len(graph.nodes), dtype=np.int32))
        pairs = [(a, b) for a in sorted(known) for b in sorted(known)]
        left, right = np.array(pairs, np.int64).reshape(-1, 2).T
        links, expected = got.between(left, right), want.between(left, right)
        assert [*zip(links.pair.tolist(), links.forward.tolist(), strict=True)] == [
            *zip(expected.pair.tolist(), expected.forward.tolist(), strict=True)
        ]
        assert {f.id for f in got.facts(links.segment, links.row)} == {
            f.id for f in want.facts(expected.segment, expected.row)
        }


CASES = {
    "loads": st.tuples(graphs.specs("a"), graphs.specs("b")),
    "text": TEXT,
    "topics": st.lists(st.sampled_from(graphs.ENTITIES), min_size=1, max_size=2),
    "depth": st.integers(0, 4),
    "hops": st.sampled_from(["entity", "paper"]),
}


@examples(30)
@given(**CASES)
def test_a_cut_is_as_if_the_text_were_stored(loads, text, topics, depth, hops):
    as_if_stored(sparse, loads, text, topics, depth, hops)


@examples(8)
@given(**CASES)
def test_over_a_real_store_too(loads, text, topics, depth, hops):
    as_if_stored(embedded, loads, text, topics, depth, hops)


def by_hand(inner: FakeSnapshot, text: list[tuple[int, int]], topics: set[int], depth: int, hops: str, hub_cap: int):
    """(depth of each class, pairs of ends of stored facts, of temporary ones), by going round until nothing changes."""
    far = dict.fromkeys(topics, 0)
    stored = [(e.src, e.dst) for e in inner.edges]

    def walked(c: int, *, said: bool) -> bool:
        hub = 0 < hub_cap < inner.degree[c] and c not in topics
        return c in far and hop(c) < depth and (said or not hub)

    def hop(c: int) -> int:
        return max(0, far[c] - (c in inner.mediators and hops == "entity"))

    for _ in range(len(inner.classes) * depth):
        for pairs, said in ((stored, False), (text, True)):
            for here, there in [(s, o) for s, o in pairs] + [(o, s) for s, o in pairs]:
                if walked(here, said=said):
                    far[there] = min(far.get(there, depth), hop(here) + 1)
    found = [
        sorted(p for p in pairs if any(walked(c, said=said) for c in p))
        for pairs, said in ((stored, False), (text, True))
    ]
    return far, *found


@st.composite
def branches(draw: st.DrawFn) -> Spec:
    """A tree, so that things are far from each other, with two of the nodes events."""
    nodes = [k for k in graphs.ENTITIES if k != "Q5"][:8] + graphs.MEDIATORS[:2]
    nodes = nodes[:1] + draw(st.permutations(nodes[1:]))
    grown = [(nodes[draw(st.integers(max(0, n - 3), n - 1))], "p", nodes[n], 0) for n in range(1, len(nodes))]
    return Spec("tree", (Source("tree"),), grown, mediators=graphs.MEDIATORS[:2])


def leaps(first: str) -> st.SearchStrategy[list[tuple[str, str, str]]]:
    """One or two hops from text, most of them from the first node."""
    end = st.sampled_from(graphs.ENTITIES[:8])
    return st.lists(st.tuples(st.just(first) | end, st.just("x"), end), min_size=1, max_size=2, unique=True)


@examples(60)
@given(
    tree=branches(),
    text=leaps(graphs.ENTITIES[0]),
    depth=st.integers(1, 4),
    hops=CASES["hops"],
    hub_cap=st.integers(0, 3),
)
def test_hubs_are_not_expanded_whoever_leads_to_them(tree, text, depth, hops, hub_cap):
    with sparse(tree) as inner:
        topics, loads = graphs.ENTITIES[:1], [tree]
        overlay = Overlay(inner, [edge(*e) for e in text])
        pairs = [(e.subject, e.object) for e in overlay.edges]
        start = {inner.cls[i] for i in map(ids.encode, topics) if i in inner.cls}
        graph = overlay.cut(sorted(start), depth=depth, hops=hops, hub_cap=hub_cap)
        holds_together(graph)
        ends = [*zip(graph.ids[graph.src].tolist(), graph.ids[graph.dst].tolist(), strict=True)]
        split = [
            sorted(e for e, s in zip(ends, graph.segment.tolist(), strict=True) if (s < len(loads)) == is_stored)
            for is_stored in (True, False)
        ]
        far = dict(zip(graph.ids[graph.nodes].tolist(), graph.depth.tolist(), strict=True))
        assert (far, *split) == by_hand(inner, pairs, start, depth, hops, hub_cap)


@KINDS
def test_one_path_goes_from_the_graph_through_text_and_back(store):
    """B was born in C (stored), C is a twin town of D (said), D lies in F (stored)."""
    with store(KG) as inner:
        overlay = Overlay(inner, [edge(C, "twin town of", D, start=40)])
        graph = overlay.cut([ids.encode(B)], depth=3)
        hops = HopGraph(graph, predicates=len(overlay.predicates().ids))
        topic = int(hops.local(np.array([ids.encode(B)]))[0])
        found = constrain(hops, explore(hops, topic, depth=3, score=flat), topics=[topic], near={})
        longest = [p for p in found if p.hops == 3]
        assert len(longest) == 1
        space = RelationSpace(overlay.predicates(), FakeEmbedder())
        context = Context("where?", QuestionGraph(overlay, space), Settings(), None, None, None)
        (path,) = materialise(context, instances(longest[0], most=1), hops)
        assert (
            path.text == f"Name {B} — kg people.person.place_of_birth → Name {C} — twin town of → Name {D} — "
            f"kg location.containedby → Name {F}"
        )
        assert [f.source.name for hop in path.hops for f in hop.facts] == ["freebase", "wikipedia", "freebase"]
        said = path.hops[1].facts[0].locator
        assert (said.url, said.start, said.end) == ("https://example.org/p", 40, 50)
        assert path.hops[0].facts[0].locator.file == "kg.nt"
        assert [h.forward for h in path.hops] == [True, True, True]


@KINDS
def test_text_is_walked_against_its_direction(store):
    with store(KG) as inner:
        graph = Overlay(inner, [edge(D, "twin town of", C)]).cut([ids.encode(B)], depth=3)
        assert ids.encode(F) in graph.ids[graph.nodes].tolist()


@KINDS
def test_what_text_reaches_at_the_rim_is_not_walked_on_from(store):
    with store(KG) as inner:
        overlay = Overlay(inner, [edge(C, "twin town of", D), edge(D, "twin town of", G)])
        depth = {int(overlay.cut([ids.encode(B)], depth=d).depth.max()): d for d in (1, 2, 3)}
        assert depth == {1: 1, 2: 2, 3: 3}
        two = overlay.cut([ids.encode(B)], depth=2)
        assert set(two.ids[two.nodes].tolist()) == {ids.encode(k) for k in (B, C, D)}


@KINDS
def test_a_hub_that_text_names_is_kept_and_not_expanded(store):
    many = Spec("many", (Source("many"),), [(D, "p", f"Q{n}", 0) for n in range(10, 20)])
    with store(KG, many) as inner:
        overlay = Overlay(inner, [edge(C, "twin town of", D)])
        for cap, reaches in ((5, False), (50, True)):
            graph = overlay.cut([ids.encode(B)], depth=3, hub_cap=cap)
            nodes = graph.ids[graph.nodes].tolist()
            assert ids.encode(D) in nodes
            assert (ids.encode(F) in nodes) == reaches


@KINDS
@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_budget_holds_for_what_is_stored(store, budget):
    many = Spec("many", (Source("many"),), [(D, "p", f"Q{n}", 0) for n in range(10, 20)])
    with store(KG, many) as inner:
        overlay = Overlay(inner, [edge(C, "twin town of", D)])
        graph = overlay.cut([ids.encode(B)], depth=3, budget=budget)
        holds_together(graph)
        assert sum(source != "wikipedia" for _, _, (_, source) in said(graph, overlay)) <= budget
        assert graph.truncated
        assert graph.dropped >= 1


@KINDS
def test_without_edges_all_is_as_below(store):
    with store(KG) as inner:
        overlay = Overlay(inner, [])
        topics = [ids.encode(B), ids.encode(D)]
        pair = np.array(topics), np.array([ids.encode(C), ids.encode(F)])
        assert overlay.manifest() == inner.manifest()
        assert overlay.predicates().keys == inner.predicates().keys
        assert overlay.predicates().ids.tolist() == inner.predicates().ids.tolist()
        for depth in range(3):
            assert rows(overlay.cut(topics, depth=depth)) == rows(inner.cut(topics, depth=depth))
        assert overlay.between(*pair).row.tolist() == inner.between(*pair).row.tolist()
        assert overlay.relation_pairs().tolist() == inner.relation_pairs().tolist()
        assert overlay.entities(topics) == inner.entities(topics)
        assert overlay.find([f"name {B}"]) == inner.find([f"name {B}"])
        assert overlay.lookup([B, "m.0zzz"]) == inner.lookup([B, "m.0zzz"])
        assert overlay.passages(topics) == inner.passages(topics)
        assert len(overlay.values(topics).row) == 0


@KINDS
def test_ends_that_are_no_entity_of_the_graph_are_left_out(store):
    """Unknown, a mediator, and a member of a class that is called otherwise."""
    fused = Spec("fused", (Source("fused"),), [("m.0v", "p", B, 0)], mediators=["m.0v"], same_as=[(B, "Q1")])
    with store(KG, fused) as inner:
        overlay = Overlay(inner, [edge(B, "x", "m.0zzz"), edge("m.0v", "x", C), edge("Q1", "x", D)])
        assert overlay.edges == ()
        assert len(overlay.manifest()) == 2
        kept = Overlay(inner, [edge(B, "x", "m.0zzz"), edge(C, "x", D)])
        assert [e.phrase for e in kept.edges] == ["x"]


@KINDS
def test_more_text_keeps_the_numbers_of_the_first(store):
    """A later phase adds edges: what an earlier one found still means the same."""
    with store(KG) as inner:
        first = Overlay(inner, [edge(C, "twin town of", D), edge(C, "near", F, PAGE)])
        second = Overlay(first, [edge(B, "above all", F), edge(C, "twin town of", D), edge(B, "saw", D, PAGE)])
        graph = first.cut([ids.encode(B)], depth=3)
        assert said(graph, first) == said(graph, second)
        keys = first.predicates().keys
        assert second.predicates().keys[: len(keys)] == keys
        assert [m.sources for m in second.manifest()][: len(first.manifest())] == [m.sources for m in first.manifest()]
        assert [m.facts for m in second.manifest()[1:]] == [2, 2], "what was there is not there twice"
        flat_ = Overlay(inner, second.edges)
        assert rows(second.cut([ids.encode(B)], depth=3)) == rows(flat_.cut([ids.encode(B)], depth=3))
        assert first.manifest()[1].checksum != second.manifest()[1].checksum


@KINDS
def test_phrases_are_predicates_behind_the_stored_ones(store):
    with store(KG) as inner:
        spoken = [*PHRASES, PHRASES[0]]
        overlay = Overlay(inner, [edge(*pair) for pair in zip([B] * 8, spoken, [C] * 7 + [D], strict=True)])
        known, all_ = inner.predicates(), overlay.predicates()
        assert (np.diff(all_.ids) > 0).all()
        assert all_.keys == (*known.keys, *PHRASES)
        assert all_.texts[len(known.keys) :] == tuple(PHRASES)
        assert all_.inverse[len(known.keys) :] == ("",) * len(PHRASES)
        assert all_.counts[len(known.keys) :].tolist() == [2, 1, 1, 1, 1, 1, 1]
        assert len(all_.texts) == len(all_.counts) == len(all_.ids)


def test_a_phrase_that_is_a_stored_key_is_that_predicate():
    with fake(KG) as inner:
        overlay = Overlay(inner, [edge(B, "location.containedby", C)])
        assert overlay.predicates().keys == inner.predicates().keys
        link = overlay.between(np.array([ids.encode(B)]), np.array([ids.encode(C)]))
        assert [overlay.predicates().keys[p] for p in link.pred] == [
            "location.containedby",
            "people.person.place_of_birth",
        ]
        assert [f.source.name for f in overlay.facts(link.segment, link.row)] == ["wikipedia", "freebase"]


@KINDS
def test_ranks_may_leave_the_phrases_out(store):
    with store(KG) as inner:
        overlay = Overlay(inner, [edge(C, "twin town of", D)])
        few, all_ = (len(s.predicates().ids) for s in (inner, overlay))
        cuts = [rows(overlay.cut([ids.encode(B)], depth=3, rank=np.arange(n, dtype=np.float32))) for n in (few, all_)]
        assert cuts[0] == cuts[1]


def test_a_source_that_is_not_allowed_is_told_apart():
    with fake(KG) as inner:
        overlay = Overlay(inner, [edge(C, "twin town of", D), edge(C, "near", F, PAGE)])
        for allowed, wanted in (
            (("freebase", "wikipedia"), [True, True, False]),
            (("example.org",), [False, False, True]),
        ):
            context = Context(
                "?", QuestionGraph(overlay, None), Settings(), None, None, None, allowed=frozenset(allowed)
            )  # type: ignore[arg-type]
            assert context.segments().tolist() == wanted


def test_what_lies_below_is_never_written_to():
    class Frozen(FakeSnapshot):
        """Gives arrays that nobody can write to."""

        def cut(self, *args, **options):
            graph = super().cut(*args, **options)
            for name in Subgraph.__slots__:
                if isinstance(value := getattr(graph, name), np.ndarray):
                    value.setflags(write=False)
            return graph

    with fake(KG) as inner:
        overlay = Overlay(Frozen(inner.loads), [edge(C, "twin town of", D)])
        before = rows(inner.cut([ids.encode(B)], depth=3))
        assert len(overlay.cut([ids.encode(B)], depth=3)) == len(before) + 2
        assert rows(inner.cut([ids.encode(B)], depth=3)) == before


def test_more_loads_than_handles_can_number_are_refused():
    class Crowded(FakeSnapshot):
        """Says that it holds as many loads as there are numbers."""

        def manifest(self) -> tuple[LoadInfo, ...]:
            return (LoadInfo("x", (), 0, ""),) * 32_767

    with fake(KG) as inner, pytest.raises(UsageError, match="32767 loads and 1 sources"):
        Overlay(Crowded(inner.loads), [edge(C, "twin town of", D)])

"""What every store must do alike: random graphs against a naive reference, hostile names and queries, drops.

A new store joins by one entry in STORES. The one on a server is asked less often: each of its histories takes a second.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec
from helpers.servers import neo4j_stores
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Source, Subgraph
from hydra_kg.errors import NotFoundError, StoreError, UsageError
from hydra_kg.fakes import FakeStore
from hydra_kg.ports import Snapshot, Store, Witnessing
from hydra_kg.stores.embedded.reads import cuts
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.text.folding import tokens

MakeStore = Callable[[], "contextmanager[Store]"]


@contextmanager
def embedded() -> Iterator[Store]:
    """A new embedded store in a folder of its own."""
    with tempfile.TemporaryDirectory(dir=graphs.MEMORY) as folder, EmbeddedStore(folder) as store:
        yield store


@contextmanager
def fake() -> Iterator[Store]:
    """A new store in memory."""
    yield FakeStore()


@contextmanager
def neo4j() -> Iterator[Store]:
    """The server's database, emptied. Needs the fixture ``neo4j_uri`` (see :func:`needs`)."""
    with neo4j_stores.empty() as store:
        yield store


STORES = {"embedded": embedded, "fake": fake, "neo4j": neo4j}
KINDS = [pytest.param(k, marks=[pytest.mark.server] if k == "neo4j" else []) for k in sorted(set(STORES) - {"fake"})]
LOADS = ["a", "b", "c"]
HOSTILE = [
    "",
    " ",
    "AT&T?",
    "a-b",
    "C++",
    "o'neil",
    '"',
    '""',
    "'",
    "*",
    "(",
    "NEAR(",
    "a AND",
    "NOT",
    "fold:a",
    "^x",
    "a\x00b",
    "\x00",
    "%",
    "_",
    "\\",
    "\ud800",
    "🦆",
    "é" * 300,
    "x " * 2000,
    "{}",
    "paris OR hilton",
    "--",
    ";",
]
ASKED = st.lists(st.sampled_from([*graphs.WORDS, "pari", "parsi", "hiltno", "x"]), max_size=3).map(" ".join)

random_graphs = examples(20)
on_a_server = settings(examples(3), phases=[Phase.generate])  # shrinking takes minutes


def needs(kind: str, request: pytest.FixtureRequest) -> None:
    """What a kind of store needs to be there, or the test is skipped."""
    if kind == "neo4j":
        request.getfixturevalue("neo4j_database")


def alike(**strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Check every kind of store but the reference with arguments from some strategies."""

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        often, seldom = (limit(given(**strategies)(check)) for limit in (random_graphs, on_a_server))

        @pytest.mark.parametrize("kind", KINDS)
        def test(kind: str, request: pytest.FixtureRequest) -> None:
            needs(kind, request)
            (seldom if kind == "neo4j" else often)(kind=kind)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate


@pytest.fixture(params=[*KINDS, "fake"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Every kind of store, empty."""
    needs(request.param, request)
    with STORES[request.param]() as made:
        yield made


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, Spec | str]]:
    """What happens to a store: loads, perhaps a replacement, perhaps drops of loads and sources."""
    steps: list[tuple[str, Spec | str]] = [("load", draw(graphs.specs(n))) for n in LOADS[: draw(st.integers(1, 3))]]
    if draw(st.booleans()):
        steps.append(("replace", draw(graphs.specs("a"))))
    steps += [("drop", name) for name in draw(st.lists(st.sampled_from(["b", "a-1", "c-0"]), max_size=2, unique=True))]
    return steps


def play(store: Store, steps: list[tuple[str, Spec | str]]) -> None:
    """Let it happen; dropping what is not there must say so."""
    for what, value in steps:
        if isinstance(value, Spec):
            graphs.put(store, value, replace=what == "replace")
        else:
            known = {value for load in store.loads() if load["state"] == "ready" for value in _names(load)}
            if value in known:
                store.drop(value)
            else:
                with pytest.raises(NotFoundError):
                    store.drop(value)


def _names(load: object) -> set[str]:
    assert isinstance(load, dict)
    return {load["name"], *(s["name"] for s in load["sources"])}


@contextmanager
def both(steps: list[tuple[str, Spec | str]], kind: str) -> Iterator[tuple[Snapshot, Snapshot]]:
    """The same history in a store and in the reference."""
    reference = FakeStore()
    play(reference, steps)
    with STORES[kind]() as store:
        play(store, steps)
        with store.snapshot() as snapshot, reference.snapshot() as expected:
            yield snapshot, expected


def rows(graph: Subgraph) -> list[tuple[object, ...]]:
    """Edges of a cut in an order of their own."""
    columns = (graph.level, graph.ids[graph.src], graph.pred, graph.ids[graph.dst], graph.segment, graph.row)
    return sorted(zip(*(c.tolist() for c in columns), strict=True))


def pages(snapshot: Snapshot, *, limit: int) -> list[int]:
    """All classes, read a page at a time."""
    found: list[int] = []
    while len(page := snapshot.all_classes(after=found[-1] if found else None, limit=limit)):
        assert len(page) <= limit
        found += page.tolist()
    return found


def reached(graph: Subgraph) -> list[tuple[int, int, bool, int]]:
    """Nodes of a cut with depth, mediator flag and degree."""
    at = graph.nodes
    return list(
        zip(
            graph.ids[at].tolist(),
            graph.depth.tolist(),
            graph.mediator[at].tolist(),
            graph.degree[at].tolist(),
            strict=True,
        )
    )


@alike(
    steps=histories(),
    topics=st.lists(st.sampled_from(graphs.ENTITIES + graphs.MEDIATORS), min_size=1, max_size=3),
    depth=st.integers(0, 3),
    hops=st.sampled_from(["entity", "paper"]),
    ranks=st.none() | st.lists(st.sampled_from([0.0, 0.5, 0.25]), min_size=8, max_size=8),
    budget=st.integers(0, 30),
    hub_cap=st.sampled_from([0, 0, 2, 5]),
    small=st.sampled_from([0, cuts.SMALL]),
)
def test_cut(kind, steps, topics, depth, hops, ranks, budget, hub_cap, small) -> None:  # type: ignore[no-untyped-def]
    """Edges, levels, depths and what a budget keeps are those of the reference, also where the embedded store numbers
    the classes of a small cut anew."""
    with both(steps, kind) as (snapshot, expected), patch.object(cuts, "SMALL", small):
        start = [ids.encode(t) for t in topics]
        rank = None if ranks is None else np.array(ranks[: len(expected.predicates().ids)], np.float32)
        got, want = (
            s.cut(start, depth=depth, hops=hops, rank=rank, budget=budget, hub_cap=hub_cap)
            for s in (snapshot, expected)
        )
        assert rows(got) == rows(want)
        assert reached(got) == reached(want)
        assert got.ids[got.topics].tolist() == want.ids[want.topics].tolist()
        assert got.truncated == want.truncated
        assert got.skipped_hubs == want.skipped_hubs or got.truncated
        assert 1 <= got.dropped <= want.dropped if got.truncated else got.dropped == 0
        assert budget == 0 or len(got) <= budget
        assert (np.diff(got.level) >= 0).all()


@alike(steps=histories())
def test_everything_else(kind: str, steps: list[tuple[str, Spec | str]]) -> None:
    """Manifest, predicates, classes, entities, values, facts between classes, provenance, pairs."""
    keys = graphs.ENTITIES + graphs.MEDIATORS + ["m.0zzz", ""]
    with both(steps, kind) as (got, want):
        assert [(m.name, m.sources, m.facts) for m in got.manifest()] == [
            (m.name, m.sources, m.facts) for m in want.manifest()
        ]
        for field in ("ids", "counts"):
            assert getattr(got.predicates(), field).tolist() == getattr(want.predicates(), field).tolist()
        for field in ("keys", "texts", "inverse"):
            assert getattr(got.predicates(), field) == getattr(want.predicates(), field)
        classes = got.lookup(keys)
        assert classes == want.lookup(keys)
        assert got.relation_pairs().tolist() == want.relation_pairs().tolist()
        asked = [ids.encode(k) for k in keys if k] * 2
        assert got.entities(asked) == want.entities(asked)
        values, expected = got.values(asked), want.values(asked)
        for field in ("node", "pred", "segment", "row"):
            assert getattr(values, field).tolist() == getattr(expected, field).tolist()
        assert values.literal == expected.literal
        assert got.facts(values.segment, values.row) == want.facts(values.segment, values.row)
        assert pages(got, limit=2) == want.all_classes().tolist()
        known = [*sorted({c for c in classes if c is not None}), ids.encode("m.0zzz")]
        left, right = (np.array(x, np.int64) for x in zip(*((a, b) for a in known for b in known), strict=True))
        found, expected_links = got.between(left, right), want.between(left, right)
        for field in ("pair", "forward", "pred", "segment", "row"):
            assert getattr(found, field).tolist() == getattr(expected_links, field).tolist()
        assert got.facts(found.segment, found.row) == want.facts(found.segment, found.row)
        if isinstance(got, Witnessing):
            for handles in (values, found):
                facts, who = got.facts(handles.segment, handles.row), got.witnesses(handles.segment, handles.row)
                assert [who.sources[n] for n in who.source] == [f.source for f in facts]
                assert [who.known[n] for n in who.qualifiers] == [f.qualifiers for f in facts]


@alike(
    steps=histories(),
    texts=st.lists(ASKED, max_size=4),
    limit=st.integers(1, 5),
    reach=st.sampled_from(["exact", "tokens", "near"]),
)
def test_find(kind, steps, texts, limit, reach) -> None:  # type: ignore[no-untyped-def]
    """The same candidates in the same order, whatever is asked."""
    with both(steps, kind) as (got, want):
        asked = texts + HOSTILE
        assert got.find(asked, limit=limit, reach=reach) == want.find(asked, limit=limit, reach=reach)


@alike(
    steps=histories(), query=st.lists(st.sampled_from(graphs.WORDS), max_size=3).map(" ".join), limit=st.integers(0, 4)
)
def test_passages(kind: str, steps: list[tuple[str, Spec | str]], query: str, limit: int) -> None:
    """Passages about the classes come first and are complete; what a query adds shares a word with it."""
    with both(steps, kind) as (got, want):
        nodes = [ids.encode(k) for k in graphs.ENTITIES[:2]]

        def plain(snapshot: Snapshot, **options: object) -> list[tuple[object, ...]]:
            return [(p.title, p.text, p.node, p.source, p.locator.line) for p in snapshot.passages(nodes, **options)]  # type: ignore[arg-type]

        assert plain(got, limit=50) == plain(want, limit=50)
        about = plain(got, limit=50)
        found = plain(got, query=query, limit=50)
        assert sorted(found[: len(about)], key=repr) == sorted(about, key=repr)
        for title, text, *_ in found[len(about) :]:
            assert set(tokens(query)) & set(tokens(f"{title} {text}"))
        assert plain(got, query=query, limit=limit) == found[:limit]
        assert len({p.id for p in got.passages(nodes, query=query)}) == len({(p[0], p[1], p[3]) for p in found})


def test_any_text_is_a_legal_query(store: Store) -> None:
    """Syntax of search engines is only text."""
    graphs.put(
        store,
        Spec(
            "a",
            (Source("a"),),
            [("m.0b", "p", "m.0c", 0)],
            names=[("m.0b", "name", "Paris")],
            passages=[("m.0b", "Paris", "Paris is a city.")],
        ),
    )
    with store.snapshot() as snapshot:
        for query in HOSTILE:
            assert len(snapshot.find([query], reach="near")) == 1, query
            assert len(snapshot.passages([], query=query)) <= 1, query
            assert snapshot.lookup([query]) == [None], query


def test_hostile_names_are_found(store: Store) -> None:
    """A name is found as it is written, whatever is in it, and comes back as it was."""
    names = ["AT&T?", "a-b", "C++", "O'Neil", '"quoted"', "x\x00y", "Ṽáç̃", "NOT", "!!!", "日本", "हिन्दी"]
    called = {f"m.0{c}": name for c, name in zip("bcdfghjklmn", names, strict=True)}
    graphs.put(store, Spec("a", (Source("a"),), names=[(key, "name", name) for key, name in called.items()]))
    with store.snapshot() as snapshot:
        for key, name in called.items():
            assert [h.text for h in snapshot.find([name])[0]] == [name]
            assert snapshot.entities([ids.encode(key)])[0].node.name == name


def test_an_empty_store_answers(store: Store) -> None:
    """Nothing loaded is not an error."""
    with store.snapshot() as s:
        assert s.manifest() == ()
        assert s.find(["Paris"], reach="near") == [[]]
        assert s.lookup(["m.0b"]) == [None]
        assert len(s.cut([1], depth=2)) == 0
        assert s.entities([ids.encode("m.0b")])[0].keys == ()
        assert len(s.values([1]).node) == 0
        assert len(s.between(np.array([1]), np.array([2])).pair) == 0
        assert s.facts(np.empty(0, np.int16), np.empty(0, np.int64)) == []
        assert s.passages([1], query="x") == []
        assert s.relation_pairs().shape == (0, 4)


def test_an_alias_of_another_source_finds_the_fused_class(store: Store) -> None:
    """A Wikidata alias finds the Freebase entity once the same-as links are loaded, and no longer when they go."""
    graphs.put(
        store, Spec("freebase", (Source("freebase"),), [("m.0b", "p", "m.0c", 0)], names=[("m.0b", "name", "Lutetia")])
    )
    graphs.put(
        store,
        Spec("wikidata", (Source("wikidata"),), [("Q1", "P19", "Q2", 0)], names=[("Q1", "alias", "City of Light")]),
    )
    graphs.put(store, Spec("links", (Source("links"),), same_as=[("m.0b", "Q1")]))
    city = ids.encode("m.0b")
    with store.snapshot() as s:
        assert [(h.node, h.how, h.degree) for h in s.find(["city of light"])[0]] == [(city, "alias", 2)]
        assert s.lookup(["Q1"]) == [city]
        entity = s.entities([ids.encode("Q1")])[0]
        assert (entity.node.name, entity.keys, entity.aliases) == ("Lutetia", ("Q1", "m.0b"), ("City of Light",))
        assert len(s.cut([city], depth=1)) == 2
    store.drop("links")
    with store.snapshot() as s:
        assert [h.node for h in s.find(["city of light"])[0]] == [ids.encode("Q1")]
        assert len(s.cut([city], depth=1)) == 1


def test_facts_at_a_thing_that_one_graph_calls_a_mediator_make_pairs(store: Store) -> None:
    """Also the facts of another graph, which does not, once the two are said to be the same."""
    graphs.put(
        store,
        Spec("a", (Source("a"),), [("m.0v", "p", "m.0b", 0), ("m.0v", "q", "m.0c", 0)], mediators=["m.0v"]),
    )
    graphs.put(store, Spec("b", (Source("b"),), [("Q1", "r", "Q2", 0)]))
    graphs.put(store, Spec("links", (Source("links"),), same_as=[("m.0v", "Q1")]))
    with store.snapshot() as s:
        keys = s.predicates().keys
        assert {(keys[a], keys[b]) for a, _, b, _ in s.relation_pairs().tolist()} == set(
            itertools.permutations("pqr", 2)
        )


def test_a_snapshot_does_not_change(store: Store) -> None:
    """What was pinned stays, while a load is added, one replaced and one dropped."""
    graphs.put(store, Spec("a", (Source("a"),), [("m.0b", "p", "m.0c", 0)]))
    graphs.put(store, Spec("b", (Source("b"),), [("m.0b", "p", "m.0d", 0)]))
    topic = [ids.encode("m.0b")]
    with store.snapshot() as before:
        first = before.cut(topic, depth=1)
        graphs.put(store, Spec("a", (Source("a"),)), replace=True)
        graphs.put(store, Spec("c", (Source("c"),), [("m.0b", "p", "m.0f", 0)]))
        store.drop("b")
        assert [m.name for m in before.manifest()] == ["a", "b"]
        assert rows(before.cut(topic, depth=1)) == rows(first)
        assert [f.object for f in before.facts(first.segment, first.row)] == ["m.0c", "m.0d"]
    with store.snapshot() as after:
        cut = after.cut(topic, depth=1)
        assert [f.object for f in after.facts(cut.segment, cut.row)] == ["m.0f"]


def test_the_order_of_loads_does_not_matter(store: Store) -> None:
    """Same ready loads, same answers, same ids of facts."""
    specs = [Spec(n, (Source(n),), [("m.0b", "p", f"m.0{n}", 0), ("m.0b", "p", "m.0z", 0)]) for n in "bcd"]
    for spec in specs:
        graphs.put(store, spec)
    with store.snapshot() as s:
        cut = s.cut([ids.encode("m.0b")], depth=2)
        first, facts = rows(cut), {f.id for f in s.facts(cut.segment, cut.row)}
    for spec in specs:
        store.drop(spec.name)
    for spec in specs[::-1]:
        graphs.put(store, spec)
    with store.snapshot() as s:
        cut = s.cut([ids.encode("m.0b")], depth=2)
        assert rows(cut) == first
        assert {f.id for f in s.facts(cut.segment, cut.row)} == facts


def test_loading_a_name_twice_needs_replace(store: Store) -> None:
    """A second load beside the first is refused with a remedy."""
    graphs.put(store, Spec("a", (Source("a"),), [("m.0b", "p", "m.0c", 0)]))
    with pytest.raises(StoreError, match="loaded already"):
        graphs.put(store, Spec("a", (Source("a"),)))
    with store.snapshot() as s:
        assert len(s.cut([ids.encode("m.0b")], depth=1)) == 1


def test_an_aborted_load_leaves_nothing(store: Store) -> None:
    """Neither facts nor a name that is taken."""
    spec = Spec("a", (Source("a"),), [("m.0b", "p", "m.0c", 0)])
    writer = store.begin(graphs.SimpleLoadPlan("a", spec.sources))
    writer.write(graphs.stage(spec))
    writer.abort()
    with store.snapshot() as s:
        assert s.manifest() == ()
    graphs.put(store, spec)


def test_depth_out_of_range_is_a_usage_error(store: Store) -> None:
    """Levels are small numbers."""
    with store.snapshot() as s, pytest.raises(UsageError):
        s.cut([1], depth=1000)

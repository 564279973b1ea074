"""What is derived over all loads, against a naive computation; and what a drop leaves of it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.ids import encode
from hydra_kg.stores.common import same_as as classes
from hydra_kg.stores.embedded.catalog.generation import Generation, PinnedGeneration, components, open_generation
from hydra_kg.stores.embedded.segments import adjacency
from hydra_kg.stores.embedded.store import EmbeddedStore

NODES = [
    *(f"m.0{c}" for c in "23456"),
    "g.1",
    *(f"Q{i}" for i in range(1, 6)),
    *(f"https://e.org/{c}" for c in "abcde"),
]
TYPES = ["people.person", "film.film", "common.topic"]

nodes = st.sampled_from(NODES)
loads = st.fixed_dictionaries(
    {
        "links": st.lists(st.tuples(nodes, st.sampled_from(["P1", "P2", "P31"]), nodes), max_size=12),
        "values": st.lists(st.tuples(nodes, st.just("type.object.type"), st.sampled_from(TYPES)), max_size=6),
        "names": st.lists(st.tuples(nodes, st.sampled_from(["name", "title", "alias"]), st.just("x")), max_size=4),
        "mediators": st.sets(nodes, max_size=5),
        "same_as": st.lists(st.tuples(nodes, nodes), max_size=10),
    }
)


def put(store: EmbeddedStore, name: str, stage: MemoryStage, *, replace: bool = False) -> None:
    """One load."""
    writer = store.begin(SimpleLoadPlan(name, (Source(name),), replace))
    writer.write(stage)
    writer.commit({})


def rank(number: int) -> tuple[int, int]:
    return number & 7, number >> 3


def naive_classes(given_loads: list[dict[str, Any]]) -> tuple[dict[int, int], set[frozenset[int]]]:
    """Representative of every id, and the components that are not fused."""
    every = {encode(n) for load in given_loads for s, _, o in load["links"] for n in (s, o)}
    every |= {encode(v[0]) for load in given_loads for v in load["values"] + load["names"]}
    every |= {encode(n) for load in given_loads for pair in load["same_as"] for n in pair}
    groups = {i: {i} for i in every}
    for a, b in (map(encode, pair) for load in given_loads for pair in load["same_as"]):
        if groups[a] is not groups[b]:
            both = groups[a] | groups[b]
            groups.update(dict.fromkeys(both, both))
    types: dict[int, set[str]] = {i: set() for i in every}
    for load in given_loads:
        for s, _, o in load["values"] + [x for x in load["links"] if x[1] == "P31"]:
            types[encode(s)] |= {o} - {"common.topic"}
    spaces = [{0, 1}, {2}]
    unfused = set()
    for group in map(frozenset, groups.values()):
        pairs = [p for space in spaces for p in itertools.combinations([i for i in group if i & 7 in space], 2)]
        clash = any(types[a] and types[b] and not types[a] & types[b] for a, b in pairs)
        if len(group) > 8 or clash:
            unfused.add(group)
    return {i: i if frozenset(g) in unfused else min(g, key=rank) for i, g in groups.items()}, unfused


def check(pinned: PinnedGeneration, given_loads: dict[str, dict[str, Any]]) -> None:
    """Everything in a generation against its definition."""
    g = pinned.generation
    assert [info.name for info, _ in pinned.loads] == sorted(given_loads)
    ordered = [given_loads[name] for name in sorted(given_loads)]
    rep, unfused = naive_classes(ordered)
    classes = sorted(set(rep.values()))
    assert g.classes.tolist() == classes
    assert {frozenset(ids) for ids, _ in g.unfused} == unfused
    members = {c: sorted(i for i in rep if rep[i] == c) for c in classes}
    several = {classes.index(c): m for c, m in members.items() if len(m) > 1}
    assert g.multi.tolist() == sorted(several)
    for i, c in enumerate(g.multi.tolist()):
        assert g.multi_id[g.multi_off[i] : g.multi_off[i + 1]].tolist() == several[c]
    degree: Counter[int] = Counter()
    for load in ordered:
        for s, _, o in set(load["links"]):
            degree.update((rep[encode(s)], rep[encode(o)]))
    assert g.degree.tolist() == [degree[c] for c in classes]
    said = {rep[encode(m)] for load in ordered for m in load["mediators"] if encode(m) in _own(load)}
    named = {rep[encode(n)] for load in ordered for n, kind, _ in load["names"] if kind != "alias"}
    assert g.mediator.tolist() == [c in said - named for c in classes]
    count = Counter(p for load in ordered for _, p, _ in {*load["links"], *load["values"]})
    assert dict(zip(g.predicates.keys, g.predicates.counts.tolist(), strict=True)) == count
    assert g.predicates.ids.tolist() == sorted(map(encode, count)) == [encode(k) for k in g.predicates.keys]
    for (_, segment), numbers in zip(pinned.loads, g.maps, strict=True):
        check_map(g, segment, numbers, rep)


def check_map(g: Generation, segment: Any, numbers: Any, rep: dict[int, int]) -> None:
    """Local and global numbers name the same things, and every local node is found from its class."""
    classes = g.classes.tolist()
    want = [classes.index(rep[i]) for i in segment.nodes.tolist()]
    assert g.predicates.ids[numbers.to_pred].tolist() == segment.preds.tolist()
    if numbers.to_class is None:
        assert numbers.to_local is None
        assert want == list(range(len(classes)))
        return
    assert numbers.to_class.tolist() == want
    least = [want.index(c) if c in want else -1 for c in range(len(classes))]
    assert numbers.to_local.tolist() == least
    extra = sorted((c, n) for n, c in enumerate(want) if n != least[c])
    assert list(zip(numbers.extra_class.tolist(), numbers.extra_local.tolist(), strict=True)) == extra


def _own(load: dict[str, Any]) -> set[int]:
    return set(naive_classes([load])[0])


@pytest.mark.slow
@examples(15)
@given(some=st.lists(loads, min_size=1, max_size=3), drop=st.integers(0, 2), other=loads)
def test_random_loads_drops_and_replaces(
    some: list[dict[str, Any]], drop: int, other: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    ready: dict[str, dict[str, Any]] = {}
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as store:

        def look() -> None:
            with store.pin() as pinned:
                check(pinned, ready)

        for i, load in enumerate(some):
            put(store, f"l{i}", MemoryStage(**load))
            ready[f"l{i}"] = load
        look()
        name = f"l{drop % len(some)}"
        put(store, name, MemoryStage(**other), replace=True)
        ready[name] = other
        look()
        store.drop(name)
        del ready[name]
        look()


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=80))
def test_components_against_merging_sets(pairs: list[tuple[int, int]]) -> None:
    groups: dict[int, set[int]] = {}
    for a, b in pairs:
        both = groups.get(a, {a}) | groups.get(b, {b})
        groups.update(dict.fromkeys(both, both))
    a, b = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    ids, label = components(a, b)
    assert ids.tolist() == sorted(groups)
    order = sorted(groups, key=rank)
    assert [order[x] for x in label.tolist()] == [min(groups[i], key=rank) for i in ids.tolist()]


def test_a_long_chain_and_a_star_are_one_component() -> None:
    ids = np.random.default_rng(1).permutation(10_000) << 3
    for a, b in ((ids[:-1], ids[1:]), (np.repeat(ids[:1], 9_999), ids[1:])):
        found, label = components(a, b)
        assert len(found) == 10_000
        assert not label.any()


@pytest.mark.parametrize(
    "types, fused",
    [
        ((["people.person"], ["film.film"]), False),
        ((["people.person"], ["people.person", "film.actor"]), True),
        ((["people.person"], []), True),
        ((["common.topic", "people.person"], ["common.topic", "film.film"]), False),
        ((["common.topic"], ["film.film"]), True),
    ],
)
def test_two_mids_of_one_thing(tmp_path: Path, types: tuple[list[str], list[str]], fused: bool) -> None:
    """Types may come from another load than the links; a Wikidata type is not compared with a Freebase type."""
    with EmbeddedStore(tmp_path) as store:
        values = [(node, "type.object.type", t) for node, ts in zip(("m.02", "m.03"), types, strict=True) for t in ts]
        put(store, "fb", MemoryStage(values=[*values, ("m.02", "n", '"x"@en')]))
        put(store, "wd", MemoryStage([("Q1", "P31", "Q5")], same_as=[("m.02", "Q1"), ("m.03", "Q1")]))
        with store.pin() as pinned:
            assert (len(pinned.generation.multi) == 1) == fused
        found = [f for f in store.doctor() if "same-as" in f.what]
        assert len(found) == (not fused)
        assert fused or ("m.02" in found[0].what and found[0].remedy)


def test_types_are_asked_for_many_components_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every one is judged by its own types, wherever a batch ends."""
    monkeypatch.setattr(classes, "_ASKED", 3)
    groups = [[encode(f"m.0{c}{n}") for n in "12"] for c in "bcdfghj"]
    types = {i: frozenset({n if g in {1, 4} else 7}) for g, group in enumerate(groups) for n, i in enumerate(group)}
    asked: list[list[int]] = []

    def types_of(nodes: Sequence[int]) -> list[frozenset[int]]:
        asked.append(list(nodes))
        return [types[i] for i in nodes]

    left, right = (np.array(ids, np.int64) for ids in zip(*groups, strict=True))
    fusion = classes.fuse_links(left, right, types_of)
    assert [list(ids) for ids, _ in fusion.unfused] == [groups[1], groups[4]]
    assert sorted(len(nodes) for nodes in asked) == [2, 6, 6]


def test_a_generation_of_other_loads_is_refused(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store:
        for name in ("a", "b"):
            put(store, name, MemoryStage([("Q1", "P1", "Q2")]))
        with store.pin() as pinned:
            segments = [s for _, s in pinned.loads]
            with pytest.raises(StoreCorruptError, match="other loads"):
                open_generation(pinned.generation.path, pinned.number, segments[::-1])


def test_texts_of_predicates_come_from_the_first_load_that_has_them(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store:
        put(store, "b", MemoryStage([("Q1", "P1", "Q2")], predicates={"P1": ("child", "parent")}))
        put(store, "a", MemoryStage([("Q1", "P1", "Q2"), ("Q1", "P2", "Q2")], predicates={"P1": ("kid", "")}))
        with store.pin() as pinned:
            p = pinned.generation.predicates
            assert list(zip(p.keys, p.texts, p.inverse, p.counts.tolist(), strict=True)) == [
                ("P1", "kid", "parent", 2),
                ("P2", "P2", "", 1),
            ]


def linked(first: int, count: int) -> MemoryStage:
    return MemoryStage([FactRow(f"Q{n}", "P1", f"Q{n + 1}") for n in range(first, first + count - 1)])


def test_more_nodes_than_can_be_numbered_are_refused_and_the_store_stays(tmp_path, monkeypatch):
    with EmbeddedStore(tmp_path / "store") as store:
        put(store, "a", linked(1, 8))
        put(store, "b", linked(20, 8))
        monkeypatch.setattr(adjacency, "MOST_NODES", 10)
        with pytest.raises(StoreError, match="The load has 11 entities, and a store takes 10"):
            put(store, "c", linked(40, 11))
        with pytest.raises(StoreError, match="taken together, has 24 entities"):
            put(store, "d", linked(40, 8))
        with pytest.raises(StoreError, match="What is merged has 16 entities"):
            store.compact(more_than=1, everything=True)
        with store.snapshot() as snapshot:
            assert [load.name for load in snapshot.manifest()] == ["a", "b"]

"""A part of the sample in both stores: the same ids, cuts, truncation, paths, provenance and answers."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.excerpt import questions
from helpers.samples.alike import edges, plain, reached
from thorough import THOROUGH

from hydra_kg import Hydra, Settings
from hydra_kg.ingest.load import load_files
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.ports import LikeNaming, Snapshot, Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import judges
from hydra_kg.serialise import answer_json
from hydra_kg.stores import store_path
from hydra_kg.stores.embedded.store import EmbeddedStore

pytestmark = pytest.mark.server

KEPT = 3  # topics of each kind that are compared


@pytest.fixture(scope="module")
def folder(excerpt_files: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """A folder that holds what the server holds."""
    with EmbeddedStore(tmp_path_factory.mktemp("excerpt") / "store") as store:
        load_files(store, excerpt_files)
        yield store


@pytest.fixture(scope="module")
def both(neo4j_sample: Store, folder: EmbeddedStore) -> Iterator[tuple[Snapshot, Snapshot]]:
    """Snapshots: of the server, and of the folder."""
    with neo4j_sample.snapshot() as ours, folder.snapshot() as theirs:
        yield ours, theirs


def topics() -> list[list[str]]:
    """Those of the questions that both can answer."""
    return [list(q.topics) for q in questions() if q.topics]


def test_the_same_loads_predicates_and_pairs(both: tuple[Snapshot, Snapshot]) -> None:
    ours, theirs = both
    plain = [[(m.name, m.sources, m.facts) for m in s.manifest()] for s in both]
    assert plain[0] == plain[1]
    assert ours.predicates().ids.tolist() == theirs.predicates().ids.tolist()
    assert ours.predicates().counts.tolist() == theirs.predicates().counts.tolist()
    for column in ("keys", "texts", "inverse"):
        assert getattr(ours.predicates(), column) == getattr(theirs.predicates(), column)
    assert ours.relation_pairs().tolist() == theirs.relation_pairs().tolist()


def test_the_same_names_spelt_alike(both: tuple[Snapshot, Snapshot]) -> None:
    known = both[1].entities(both[1].all_classes(limit=400).tolist())
    names = [e.node.name for e in known if len(e.node.name) > 6][:60]
    said = [name[:2] + name[3:-2] + "x" + name[-1] for name in names]
    ours, theirs = (s.like(said, limit=10) for s in both if isinstance(s, LikeNaming))
    right = [n for n, name in enumerate(names) if theirs[n][0].text == name]
    assert len(right) > 30
    assert [ours[n][0] for n in right] == [theirs[n][0] for n in right]  # those that are merely nearest may differ


@pytest.mark.parametrize(
    "hops,depth,budget,hub_cap",
    [
        *(("entity", *how) for how in [(1, 0, 0), (2, 0, 0), (3, 0, 100), (2, 500, 0), (3, 1, 0), (4, 7_000, 0)]),
        *(("paper", *how) for how in [(2, 0, 0), (3, 4_000, 300)]),
    ],
)
def test_the_same_cuts(both: tuple[Snapshot, Snapshot], hops: Any, depth: int, budget: int, hub_cap: int) -> None:
    rank = np.random.default_rng(depth).integers(0, 20, len(both[0].predicates().ids)).astype(np.float32) / 20
    for keys in topics()[:KEPT]:
        start = [n for n in both[1].lookup(keys) if n is not None]
        ours, theirs = (s.cut(start, depth=depth, hops=hops, rank=rank, budget=budget, hub_cap=hub_cap) for s in both)
        assert ours.truncated == theirs.truncated
        assert edges(ours) == edges(theirs)
        assert reached(ours) == reached(theirs)
        assert ours.skipped_hubs == theirs.skipped_hubs or ours.truncated
        assert ours.dropped >= 1 if ours.truncated else ours.dropped == 0


def test_the_same_facts_with_the_same_provenance(both: tuple[Snapshot, Snapshot]) -> None:
    ours, theirs = both
    for keys in topics()[:KEPT]:
        start = [n for n in theirs.lookup(keys) if n is not None]
        assert ours.lookup(keys) == theirs.lookup(keys)
        graph = theirs.cut(start, depth=2, budget=3000)
        assert ours.facts(graph.segment, graph.row) == theirs.facts(graph.segment, graph.row)
        nodes = graph.ids[graph.nodes].tolist()[:500]
        assert ours.entities(nodes) == theirs.entities(nodes)
        a, b = ours.values(nodes), theirs.values(nodes)
        assert [x.tolist() for x in (a.node, a.pred, a.segment, a.row)] == [
            x.tolist() for x in (b.node, b.pred, b.segment, b.row)
        ]
        assert a.literal == b.literal
        assert ours.facts(a.segment, a.row) == theirs.facts(b.segment, b.row)
        pairs = graph.ids[graph.src], graph.ids[graph.dst]
        p, q = ours.between(*pairs), theirs.between(*pairs)
        for column in ("pair", "forward", "pred", "segment", "row"):
            assert getattr(p, column).tolist() == getattr(q, column).tolist()


@pytest.mark.parametrize("reach", ["exact", "tokens", "near"])
def test_the_same_names_are_found(both: tuple[Snapshot, Snapshot], reach: Any) -> None:
    words = [w.strip("?,.") for q in questions() for w in q.text.split()]
    pairs = [" ".join(p) for p in itertools.pairwise(words)]
    typos = ["Lionel Mesi", "Gogle", "Barak Obama", "the beatles", "Jon Lennon", "AT&T"]
    asked = sorted({*words, *pairs, *typos})
    random.Random(0).shuffle(asked)
    ours, theirs = (s.find(asked[:150] + typos, limit=10, reach=reach) for s in both)
    assert ours == theirs


def test_the_same_passages_in_the_same_order(both: tuple[Snapshot, Snapshot]) -> None:
    for q in questions():
        nodes = [n for n in both[1].lookup(q.topics) if n is not None]
        ours, theirs = (s.passages(nodes, query=q.text, limit=20) for s in both)
        assert [_rounded(p) for p in ours] == [_rounded(p) for p in theirs]


def _rounded(passage: Any) -> Any:
    return dataclasses.replace(passage, score=round(passage.score, 9))


def test_the_same_answers(neo4j_sample: Store, folder: EmbeddedStore) -> None:
    """``ask --json`` equal but for id, seconds and the checksums of the loads, for a question of each kind, and for all
    that these stores can answer where HYDRA_THOROUGH is 2; bench/faults/differential.py asks those of real sets."""
    ours, theirs = (Reasoner(s, settings=Settings(retrieval={"edge_budget": 3_000})) for s in (neo4j_sample, folder))
    answered = []
    for q in questions()[:: max(1, round(2 / THOROUGH))]:
        answered.append(theirs.ask(q.text))
        assert plain(answer_json(ours.ask(q.text))) == plain(answer_json(answered[-1])), q.text
    assert 3 * sum(bool(answer.answers) for answer in answered) >= len(answered)  # an excerpt states little


def test_relation_vectors_of_a_server_are_kept_in_the_users_folder(
    neo4j_sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next process embeds what it is asked, and no relation again."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    question = questions()[0]
    embedded = []
    for _ in range(2):
        judges._recent.cache_clear()  # as another process begins
        texts: list[str] = []
        reasoner = Hydra(store=neo4j_sample, settings=Settings(retrieval={"edge_budget": 50_000})).reasoner
        assert isinstance(reasoner.embedder, CachedEmbedder)
        inner, embed = reasoner.embedder._inner, reasoner.embedder._inner.embed
        monkeypatch.setattr(inner, "embed", lambda new, embed=embed, texts=texts: texts.extend(new) or embed(new))
        reasoner.ask(question.text)
        embedded.append(texts)
    assert list(tmp_path.rglob("vectors.sqlite")) == [store_path(neo4j_sample.url) / "vectors.sqlite"]
    assert len(embedded[1]) < len(embedded[0]) / 10

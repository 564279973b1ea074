"""Hand-worked numbers of the papers' formulas, under the preset of each paper; docs/conformance.md lists them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.samples.scripted import asked
from helpers.small_country import cached_embedder, country_store  # noqa: F401  fixtures

from hydra_kg.agents.model_chains import order_and_depth
from hydra_kg.domain import Fact, Hop, Node, Passage, Path, Source
from hydra_kg.fusion.truth_discovery.multi_level_confidence import node_confidence
from hydra_kg.index.faiss_index import PathIndex
from hydra_kg.presets import with_preset
from hydra_kg.settings import Settings
from hydra_kg.steps.relevance.path_relevance import path_text, text_relevance
from hydra_kg.steps.retrieval.through_topics import LevelScore
from hydra_kg.steps.text.entity_contexts import best_chunks, entity_scores
from hydra_kg.steps.text.sentence_retrieval import PassageSentence
from hydra_kg.steps.verification.prune import Member, supported
from hydra_kg.steps.verification.verify import scores

HYDRA = with_preset(Settings(), "paper:hydra")
QUINCE, VALE = Node(1, "m.0b", "Quince"), Node(2, "m.0c", "Vale")
GRAPH, WIKI_PAGES = Source("freebase"), Source("wikipedia", "wiki")


def stated(source: Source, relation: str = "headquarters") -> Path:
    fact = Fact(1, "m.0b", "organization.headquarters", "m.0c", source, "1")
    return Path((Hop(QUINCE, "organization.headquarters", relation, VALE, True, None, (fact,)),))


def written(relation: str = "headquarters") -> Path:
    passage = Passage("p", "Quince", "The headquarters of Quince is in Vale.", WIKI_PAGES, "1", 1)
    return Path((Hop(QUINCE, relation, relation, VALE),), passage)


class Words:
    """An embedder of one axis a word, so that cosines can be worked out by hand."""

    checksum, dimension = "words", 16

    def __init__(self) -> None:
        self._axis: dict[str, int] = {}

    def embed(self, texts):
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(out, texts, strict=True):
            for word in text.replace(" - ", " ").split():
                row[self._axis.setdefault(word, len(self._axis))] = 1
            row /= np.linalg.norm(row)
        return out


def context(settings: Settings = HYDRA) -> SimpleNamespace:
    services = SimpleNamespace(new_index=lambda: PathIndex(Words.dimension))
    return SimpleNamespace(settings=settings, space=SimpleNamespace(embedder=Words()), services=services)


# HydraRAG §4.3. One path: Quince - headquarters - Vale; Topic(q) = {Quince}; cos(h(I), h(p)) = .8; G_q holds Quince.


def numbers(**changes):
    known = {"supporters": {"kg", "wiki"}, "inside": {1}, "settings": HYDRA, "topics": (1,), "candidates": 9}
    return scores(stated(GRAPH), 0.8, **{**known, **changes})


def test_source_relevance():
    """s_rel = .7 · .8 + .3 · |{Quince}| / |{Quince, Vale}| = .56 + .15."""
    assert numbers().relevance == pytest.approx(0.71)


def test_source_reliability():
    """f1 = ρ of the source: 1 of a graph, .8 of a wiki, .7 of the web."""
    assert [scores(stated(s), 0.8, supporters=(), inside={1}, settings=HYDRA).f1 for s in (GRAPH, WIKI_PAGES)] == [
        1,
        0.8,
    ]


def test_corroboration():
    """f2 = min(|{kg, wiki}|, 3) / 3."""
    assert numbers().f2 == pytest.approx(2 / 3)
    assert numbers(supporters={"a", "b", "c", "d"}).f2 == 1


def test_consistency_with_the_graph():
    """f3 = |{Quince, Vale} ∩ {Quince}| / 2."""
    assert numbers().f3 == pytest.approx(1 / 2)


def test_verification_and_cross_score():
    """s_ver = (1 + ⅔ + ½) / 3 = .7222; cross = .7 · .71 + .3 · .7222 = .7137."""
    assert numbers().verification == pytest.approx(0.7222, abs=5e-5)
    assert numbers().cross == pytest.approx(0.7137, abs=5e-5)


def test_h_of_a_path_is_the_embedding_of_its_text_for_graph_and_text_alike():
    """I = Quince - headquarters - answer shares two of three words with Quince - headquarters - Vale: cosine ⅔."""
    indicator = "Quince - headquarters - answer"
    assert path_text(stated(GRAPH)) == path_text(written()) == "Quince - headquarters - Vale"
    cosines = text_relevance(context(), indicator, [stated(GRAPH), written()])
    assert cosines == pytest.approx([2 / 3, 2 / 3])
    assert HYDRA.relevance.path_vectors == "text"


def test_support_is_found_among_paths_and_counts_kinds_of_source():
    """Sim of the equal texts is 1 ≥ γ; that of "seat" in place of "headquarters" is ⅔ < .8: it supports nothing."""

    def with_kind(path: Path, kind: str) -> Member:
        own = frozenset({kind})
        return Member(path, own, scores(path, 0.8, supporters=own, inside={1}, settings=HYDRA))

    pool = [with_kind(stated(GRAPH), "kg"), with_kind(written(), "wiki"), with_kind(written("seat"), "web")]
    found = supported(context(), pool)
    assert [f.supporters for f in found] == [{"kg", "wiki"}, {"kg", "wiki"}, {"web"}]
    assert [f.scores.f2 for f in found] == pytest.approx([2 / 3, 2 / 3, 1 / 3])


def test_predicted_depth():
    """D_predict: in Quince - owner - person - born in - answer the answer is two relations from the topic."""
    assert order_and_depth("Quince - owner - person - born in - answer", (), ())[1] == 2


def test_a_level_is_pruned_by_cross_score_with_one_topic_too(store, embedder, monkeypatch):
    """cross = .7 · rel + .3 · (ρ + ⅓ + 1) / 3, of facts that one graph states: ρ = 1, one kind of three."""
    seen = []
    plain = LevelScore.__call__

    def watched(self, tree):
        found = plain(self, tree)
        seen.extend(zip(tree.score.tolist(), found.tolist(), strict=True))
        return found

    monkeypatch.setattr(LevelScore, "__call__", watched)
    analyse = {"parts": [], "skyline": "Freedonia - leader - person - patron - answer", "sources": ["kg"]}
    says = {"topics": {"names": ["Freedonia"]}, "analyse": analyse, "select_sources": {"sources": ["kg"]}}
    asked(store, embedder, "hydra", {**says, "summarise": {"keep": []}, "write_paths": {"paths": []}}, settings=HYDRA)
    assert seen
    for relevance, cross in seen:
        assert cross == pytest.approx(0.7 * min(max(relevance, 0), 1) + 0.3 * (1 + 1 / 3 + 1) / 3, abs=1e-5)


# ToG-2 §3.2.2.


def test_a_chunk_is_compared_after_the_sentence_of_its_triple():
    """Eq. 5: "prize" is in the triple of a alone, and in no chunk: by BM25 a has all of it, b nothing."""
    pages = [Passage("a", "A", "It is old.", WIKI_PAGES, "1", 1), Passage("b", "B", "It is old.", WIKI_PAGES, "2", 2)]
    stored = SimpleNamespace(passages=lambda nodes, limit: pages)
    services = SimpleNamespace(rerank=None)
    asking = SimpleNamespace(snapshot=stored, kinds=("wiki",), may=lambda source: True, services=services)
    triples = {1: "Quince won the prize A", 2: "Quince owns B"}
    found = best_chunks(asking, None, "Which prize?", [2, 1], triples, ranker="bm25", most=2)
    assert [(c.passage.id, c.score) for c in found] == [("a", 1.0), ("b", 0.0)]


def test_entities_are_scored_by_their_chunks():
    """Eq. 6 with α = .1: of a .9 e^(−.1) + .4 e^(−.3) = 1.1107, of b .5 e^(−.2) = .4094."""
    chunks = [chunk(1, 0.9), chunk(2, 0.5), chunk(1, 0.4)]
    found = entity_scores(chunks, alpha=0.1)
    assert found == pytest.approx({1: 1.1107, 2: 0.4094}, abs=5e-5)


def chunk(node: int, score: float) -> PassageSentence:
    return PassageSentence(Passage("p", "", "", WIKI_PAGES, "1", node), "", 0, 0, score)


# MultiRAG §III.D.


def test_confidence_of_a_node():
    """Eq. 8–11 with S_n = .5, C_LLM = 1, β = α = .5, H = 50, Pr^h = .5, one value of two that is right:
    .5 + .5 / (1 + e^(−.5)) + .5 · (25 + .5) / 51 = 1.0612."""
    authority, history = 1 / (1 + math.exp(-0.5)), (50 * 0.5 + 0.5) / 51
    found = node_confidence(np.array([0.5]), np.array([authority]), np.array([history]), alpha=0.5)
    assert found.tolist() == pytest.approx([1.0612], abs=5e-5)

"""Relevance clause by clause: which hop explains which clause, and what a path leaves unexplained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hydra_kg import ids
from hydra_kg.domain import Analysis, Clause, Predicates
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.relevance.clause_relevance import CLAUSE_GAIN, CLAUSE_MERGE, CLAUSE_STEP, relevance_to
from hydra_kg.steps.retrieval.entity_types import head

WEIGHTS = Settings().relevance
GAIN, MERGE, STEP = CLAUSE_GAIN, CLAUSE_MERGE, CLAUSE_STEP

KEYS = ("a.born", "a.capital", "a.country", "a.other")
BORN, CAPITAL, COUNTRY, OTHER = (2 * i + 1 for i in range(4))
CHAIN = (Clause("where _ was born", "country"), Clause("capital of _"))
AXES = {"born": 0, "where was born": 0, "capital": 1, "capital of": 1, "country": 2, "other": 3}


class Compass:
    """Texts at right angles; the whole question lies between its two clauses."""

    name, dimension, checksum = "compass", 4, "compass"

    def embed(self, texts):
        rows = np.eye(4, dtype=np.float32)
        both = (rows[0] + rows[1]) / np.float32(2**0.5)
        return np.array([rows[AXES[t]] if t in AXES else both for t in texts], np.float32).reshape(-1, 4)


class Bare:
    """A snapshot without mediators."""

    def relation_pairs(self):
        return np.zeros((0, 4), np.int32)


def question(*, clauses=CHAIN, on=True):
    keys = np.array([ids.encode(k) for k in KEYS])
    texts = tuple(k.split(".")[1] for k in KEYS)
    space = RelationSpace(Predicates(keys, KEYS, texts, ("",) * 4, np.ones(4, np.int64)), Compass())
    settings = Settings(relevance={"hop_penalty": 0.5, "noun_weight": 0.0, "learned_weight": 0.0, "clauses": on})
    context = Context("?", QuestionGraph(Bare(), space), settings, None, None, None)
    return context, Analysis("?", "the whole", (), 2, clauses=clauses)


def relevance(**how):
    return relevance_to(*question(**how))


def score(*path, **how):
    return float(relevance(**how)(np.array([path], np.int64))[0])


def test_what_is_asked_in_the_same_words_is_worked_out_once():
    context, analysis = question()
    once = relevance_to(context, analysis)
    assert relevance_to(context, replace(analysis, topics=(1,), d_predict=1)) is once
    assert relevance_to(context, replace(analysis, clauses=())) is not once


def test_hops_are_compared_with_their_own_clause_in_order():
    assert score(BORN, CAPITAL) == pytest.approx(1 + GAIN)
    assert score(CAPITAL, BORN) < 1
    assert score(BORN, OTHER) == pytest.approx(0.5 + GAIN)


def test_one_hop_is_compared_with_the_whole():
    assert score(BORN) == pytest.approx(2**-0.5)
    assert score(BORN) == score(BORN, on=False)


def test_a_hop_may_lead_to_the_kind_of_thing_that_was_named():
    assert score(BORN, COUNTRY, CAPITAL) == pytest.approx(1 - STEP / 3 + GAIN)
    assert score(BORN, OTHER, CAPITAL) == pytest.approx((2 - STEP) / 3 + GAIN, abs=1e-6)


def test_without_clauses_or_with_the_setting_off_it_is_one_question():
    assert score(BORN, CAPITAL, clauses=()) == score(BORN, CAPITAL, on=False) == pytest.approx(1 - 0.5)


def test_the_beginning_of_a_path_is_worth_what_it_explains():
    lead = relevance().chain.lead(np.array([[BORN], [CAPITAL], [OTHER]], np.int64))
    assert lead == pytest.approx([1, 2**-0.5 - MERGE, 0], abs=1e-6)


@pytest.mark.parametrize(
    "path, lacks", [((BORN, CAPITAL), 0), ((BORN,), 1), ((BORN, OTHER), 1), ((BORN, COUNTRY, CAPITAL), 0)]
)
def test_what_explains_only_the_inner_clause_leaves_the_outer_one_unexplained(path, lacks):
    assert relevance().chain.unexplained(np.array(path, np.int64)) == pytest.approx(lacks)


def test_where_each_clause_is_explained():
    chain = relevance().chain
    assert chain.reached(np.array([BORN, CAPITAL], np.int64)) == {1: 1, 2: 2}
    assert chain.reached(np.array([BORN, COUNTRY, CAPITAL], np.int64)) == {1: 2, 2: 3}
    assert chain.reached(np.array([BORN], np.int64)) == {2: 1}


@pytest.mark.parametrize(
    "phrase, noun",
    [
        ("countries", "country"),
        ("city of the United States", "city"),
        ("sovereign state", "state"),
        ("football clubs", "club"),
        ("class", "class"),
        ("small businesses", "business"),
        ("churches", "church"),
        ("houses", "house"),
        ("", ""),
    ],
)
def test_the_noun_of_a_kind(phrase, noun):
    assert head(phrase) == noun

"""The query of an answer that a path or a sentence gave, in the algebra."""

from __future__ import annotations

from hydra_kg.domain import AnswerValue, Evidence, Fact, Hop, Locator, Node, Passage, Path, Scores, Source
from hydra_kg.plan.model import Either, Named, Related, TextPassage
from hydra_kg.plan.query_wording import words
from hydra_kg.plan.walk import parts, with_spans
from hydra_kg.questions.plan_outcome import path_query
from hydra_kg.steps.answering.results import uncontested

SALT, IDA, OSLO = (Node(n, f"Q{n}", name) for n, name in enumerate(("Salt", "Ida", "Oslo"), 1))
FACT = Fact(1, "Q1", "director", "Q2", Source("films", "kg", 0.9, "films"), Locator("films.ttl:3"))
TEXT = Passage("p1", "Ida", "Ida was born in Oslo.", Source("pages", "wiki", 0.9, "pages"), Locator("Ida"))


def ended(*paths: Path, computation: str = ""):
    scores = Scores(0.6)
    evidence = [Evidence(p, scores, "initial", True, "", (p.hops[-1].object,), ()) for p in paths]
    return uncontested([AnswerValue("x", None, "x")], evidence, computation=computation)


def stated(subject: Node, relation: str, end: Node) -> Hop:
    return Hop(subject, relation, relation, end, facts=(FACT,))


def test_a_path_is_a_chain_of_relations_from_its_name():
    found = path_query(ended(Path((stated(SALT, "has director", IDA), stated(IDA, "was born in", OSLO)))))
    assert isinstance(found, Related)
    assert [type(p).__name__ for p in parts(found)] == ["Related", "Related", "Named"]
    assert list(parts(found))[-1] == Named("Salt", 1)


def test_paths_by_two_relations_are_either_of_them():
    one, other = Path((stated(SALT, "has director", IDA),)), Path((stated(SALT, "has writer", IDA),))
    assert path_query(ended(one, one)) == path_query(ended(one))
    found = path_query(ended(one, other))
    assert isinstance(found, Either)
    assert len(found.parts) == 2


def test_a_hop_that_only_a_sentence_states_is_a_passage():
    found = path_query(ended(Path((stated(SALT, "has director", IDA), Hop(IDA, "born", "born", OSLO)), TEXT)))
    assert isinstance(found, TextPassage)
    assert isinstance(found.of, Related)
    assert words(found).startswith("what texts state of ")


def test_what_was_computed_along_paths_has_no_chain():
    assert path_query(ended(Path((stated(SALT, "has director", IDA),)), computation="2 counted")) is None


def test_operators_have_the_places_of_their_words():
    query = Related(Named("Salt", 1), "director of _", "director", span=())
    found = with_spans(query, "Who is the director of Salt?")
    assert (found.span, found.of.span) == ((3,), (5,))
    assert found == query, "places take no part in equality"

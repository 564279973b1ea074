"""Years of dates: what a question of the year gets."""

from __future__ import annotations

import pytest

from hydra_kg.domain import Analysis, AnswerValue, Evidence, Hop, Node, Path, Scores
from hydra_kg.steps.answering.count_and_boolean import deduced
from hydra_kg.steps.answering.results import Conclusion


def concluded(noun: str, *literals: str) -> Conclusion:
    """What is deduced from dates that sources disagree about."""
    answers = tuple(AnswerValue(t.split('"')[1], None, t) for t in literals)
    before = Conclusion(answers, (), {}, {"b": 1.0}, frozenset(), ("b says so",), sentence="Sources disagree")
    return deduced(Analysis("?", "?", (), 1, answer_noun=noun), before, most=9)


@pytest.mark.parametrize(
    "question, answers", [("Did he play for the Lakers?", []), ("Did he play for the Bulls?", ["no"])]
)
def test_what_the_question_says_a_word_of_does_not_deny_it(question, answers):
    player, team = Node(1, "Q1", "Kobe Bryant"), Node(2, "Q2", "Los Angeles Lakers")
    path = Evidence(Path((Hop(player, "team", "team", team),)), Scores(0.9), "initial", True, "", (team,), ())
    found = Conclusion((AnswerValue(team.name, team),), (path,), {}, {}, frozenset(), ())
    analysis = Analysis(question, question, (1, 3), 1, kind="boolean")
    assert [a.name for a in deduced(analysis, found, most=9).answers] == answers


DAYS = ('"1878-12-18"^^xsd:date', '"1879-12-09"^^xsd:date', '"1878-12"^^xsd:gYearMonth')


def test_a_question_of_the_year_gets_each_year_once_in_order():
    found = concluded("year", *DAYS)
    assert [a.name for a in found.answers] == ["1878", "1879"]
    assert [a.value for a in found.answers] == list(DAYS[:2])
    assert found.computation == "the year of 1878-12-18"
    assert (found.opposing, found.sentence) == ({"b": 1.0}, "Sources disagree")


def test_sources_that_differ_in_the_day_alone_do_not_disagree_about_the_year():
    found = concluded("year", DAYS[0], DAYS[2])
    assert [a.name for a in found.answers] == ["1878"]
    assert (found.opposing, found.dissent, found.sentence) == ({}, (), "")


@pytest.mark.parametrize(
    "noun, literals",
    [("date", DAYS), ("", DAYS), ("year", ('"1878"^^xsd:gYear',)), ("year", ('"1878"',)), ("year", (*DAYS, '"soon"'))],
)
def test_what_is_no_question_of_the_year_or_no_date_stays(noun, literals):
    found = concluded(noun, *literals)
    assert [a.value for a in found.answers] == list(literals)
    assert found.computation == ""


def test_a_count_that_was_cut_does_not_say_how_many_are_first():
    heroes = tuple(AnswerValue(f"Hero {n}", Node(n, f"Q{n}", f"Hero {n}")) for n in range(9))
    found = Conclusion(heroes, (), {}, {}, frozenset(), ())
    for question, names in (("How many heroes are there?", ["at least 9"]), ("How many have the highest value?", [])):
        analysis = Analysis(question, question, (1,), 1, kind="count")
        assert [a.name for a in deduced(analysis, found, most=9).answers] == names

"""Conditions and operators of a question, and the questions that it becomes when they are changed."""

from __future__ import annotations

from typing import Any

from hydra_kg.plan import model as m
from hydra_kg.plan.serialise import query_json
from hydra_kg.serving.web.question_edits import question_edits, question_words

KIEL = m.Related(m.Named("Kiel", 1), "whose harbour is _")
DEAR = m.Condition(">", "number", 40000.0, 40000.0, words="more than 40000")
BOATS = m.Class("boats", "boat")


def of_tables(question: str, root: m.Root) -> list[dict[str, Any]]:
    return question_edits(question, {"query": query_json(root)})


def test_a_condition_can_be_removed_and_its_bound_changed():
    root = m.Both((m.Both((KIEL, BOATS)), m.Where(m.Class(""), "price eur", DEAR)))
    harbour, price = sorted(of_tables("Which boats in Kiel cost more than 40000?", root), key=lambda e: e["text"])
    assert harbour["text"] == "harbour is Kiel"
    assert harbour["without"] == "boats whose price eur is more than 40000?"
    assert price["text"] == "price eur is more than 40000"
    assert price["without"] == "boats whose harbour is Kiel?"
    assert price["value"] == "40000"
    assert price["with_value"] == "boats whose harbour is Kiel and whose price eur is more than {value}?"
    changes = {change["text"]: change["question"] for change in price["changes"]}
    assert set(changes) == {"less than 40000", "at least 40000", "at most 40000", "exactly 40000"}
    assert changes["less than 40000"] == "boats whose harbour is Kiel and whose price eur is less than 40000?"


def test_functions_and_orders_have_alternatives():
    ketch = m.Condition("=", "any", words="ketch", values=("ketch",))
    mean = m.Aggregate(m.Where(BOATS, "type", ketch), "length", "mean")
    function, kind = of_tables("What is the average length of ketches?", mean)
    assert function["text"] == "average"
    asked = {c["text"]: c["question"] for c in function["changes"]}
    assert asked["total"] == "What is the total length of boats whose type is ketch?"
    assert kind["with_value"] == "What is the average length of boats whose type is {value}?"
    (order,) = of_tables("Which boat is the longest?", m.Top(BOATS, 1, "length", "number", "max"))
    assert order["text"] == "highest length"
    assert order["without"] == "boats?"
    assert [c["question"] for c in order["changes"]] == ["boats, only the one with the lowest length?"]


def test_what_is_counted_can_be_listed_and_the_last_condition_removed():
    count = m.Count(m.Where(BOATS, "price", DEAR))
    how_many, price = of_tables("How many boats cost more than 40000?", count)
    assert [c["question"] for c in how_many["changes"]] == ["boats whose price is more than 40000?"]
    assert price["without"] == "How many boats are there?"


def test_a_question_about_a_graph_keeps_its_own_words():
    after = m.Condition(">=", "date", 1991.0, 1991.0, words="after 1990")
    films = m.Related(m.Named("James Cameron", 2), "_ direct", "films", said="_ directed")
    root = query_json(m.Where(films, "release date", after))
    question = "Which films did James Cameron direct after 1990?"
    (date,) = question_edits(question, {"plan": {"root": root}, "query": root})
    assert date["without"] == "Which films did James Cameron direct?"
    assert date["with_value"] == "Which films did James Cameron direct after {value}?"
    assert {"text": "before 1990", "question": "Which films did James Cameron direct before 1990?"} in date["changes"]


def test_the_order_of_a_question_about_a_graph_is_turned_round_in_its_own_words():
    films = m.Related(m.Named("James Cameron", 2), "_ direct", "film", said="_ directed")
    for question, other in (
        (
            "What is the latest film that James Cameron directed?",
            "What is the earliest film that James Cameron directed?",
        ),
        (
            "Which film that James Cameron directed came out first?",
            "Which film that James Cameron directed came out last?",
        ),
    ):
        root = query_json(m.Extreme(films, "release date; date", "date", "max"))
        (order,) = question_edits(question, {"plan": {"root": root}, "query": root})
        assert (order["kind"], order["text"]) == ("order", "latest release date")
        assert order["changes"] == [{"text": "earliest release date", "question": other}]
    two = "Which film of the oldest director is the longest?"
    assert question_edits(two, {"plan": {"root": root}, "query": root}) == []


def test_the_time_of_a_number_is_another_one():
    year = m.Condition("in", "date", 2000.0, 2001.0, words="in 2000")
    root = query_json(m.Value(m.Named("Kiel", 1), "population", "number", year))
    (time,) = question_edits("What was the population of Kiel in 2000?", {"plan": {"root": root}})
    assert (time["kind"], time["text"], time["value"]) == ("condition", "in 2000", "2000")
    assert time["with_value"] == "What was the population of Kiel in {value}?"
    assert time["without"] == "What was the population of Kiel?"


def test_an_answer_without_a_query_has_nothing_to_change():
    assert question_edits("Who founded Google?", {}) == []


def test_a_query_is_worded_as_a_question():
    assert question_words(m.Count(BOATS)) == "How many boats are there?"
    assert question_words(m.Where(BOATS, "price", DEAR)) == "boats whose price is more than 40000?"

"""Which of the answers of a sheet and of a table query is given, by a probability."""

from __future__ import annotations

import pytest

from hydra_kg.steps.sheets.form_ranking import RankedForms, rank
from hydra_kg.steps.sheets.reading_decision import QueryAnswer, candidates, decide, describe, probability
from hydra_kg.steps.sheets.sheet import Sheet, make_column

BOATS = Sheet(
    (
        make_column("Boat", ("boat",), ("Gull", "Tern", "Auk")),
        make_column("Harbour", ("harbour",), ("Oslo", "Cork", "Oslo")),
        make_column("Crew", ("crew",), ("4", "9", "2")),
    ),
    3,
)


def ranked(question: str) -> RankedForms:
    found = rank(BOATS, question)
    assert found is not None
    return found


def test_an_answer_that_both_readers_give_is_one_candidate() -> None:
    sheet = ranked("Which boats are in Oslo?")
    query = QueryAnswer(("Auk", "Gull"), 0.9, "list")
    found = candidates(sheet, query)
    both = [one for one in found if one.is_query]
    assert len(both) == 1
    assert both[0].names == ("Gull", "Auk")
    assert both[0].ranked is not None


def test_another_answer_of_the_query_is_a_candidate_of_its_own() -> None:
    found = candidates(ranked("Which boats are in Oslo?"), QueryAnswer(("Cork",), 0.4, "list"))
    assert [one.names for one in found if one.is_query] == [("Cork",)]
    assert found[-1].ranked is None


def test_agreement_of_the_readers_raises_the_probability() -> None:
    sheet = ranked("How many boats are listed?")
    alone = decide(sheet, None)[0]
    both = decide(sheet, QueryAnswer(("3",), 0.95, "count"))[0]
    against = decide(sheet, QueryAnswer(("2",), 0.95, "count"))[0]
    assert alone[0].names == both[0].names == ("3",)
    assert both[1] > alone[1]
    assert both[1] > against[1]


def test_with_an_unknown_name_only_the_query_answers() -> None:
    query = QueryAnswer(("9",), 0.7, "cell", ("Skerry Lines",), unknown=True)
    assert decide(ranked("What is the crew of Tern of Skerry Lines?"), query)[0][0].is_query


def test_a_word_that_is_left_out_is_described() -> None:
    sheet = ranked("Which boat has the biggest crew of the regatta?")
    found = describe(candidates(sheet, None)[0], sheet, None)
    assert found["unplaced 1"] == 1.0
    assert found["unplaced noun unknown"] == 1.0


@pytest.mark.parametrize("found", [{}, {"no such feature": 3.0}])
def test_unknown_features_count_nothing(found: dict[str, float]) -> None:
    assert probability(found) == 0.5

"""Anchors of a question, the logical forms over them, and their order by the learned weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hydra_kg.domain import Floats
from hydra_kg.plan.query_wording import words
from hydra_kg.plan.serialise import query_from_json, query_json
from hydra_kg.steps.sheets.anchors import comparison_at, find_anchors, read_words
from hydra_kg.steps.sheets.form_features import Features
from hydra_kg.steps.sheets.form_ranking import rank
from hydra_kg.steps.sheets.logical_forms import forms
from hydra_kg.steps.sheets.sheet import Sheet, make_column
from hydra_kg.steps.sheets.to_query import form_query


def column(text: str, *cells: str) -> tuple[str, tuple[str, ...]]:
    return text, cells


def sheet(*columns: tuple[str, tuple[str, ...]]) -> Sheet:
    made = [make_column(text, tuple(text.lower().split()), cells) for text, cells in columns]
    return Sheet(tuple(made), len(columns[0][1]))


MEDALS = sheet(
    column("Rank", "1", "2", "3", "4", "5"),
    column("Nation", "Norland", "Sudland", "Ostia", "Westa", "Mitte"),
    column("Gold", "9", "7", "3", "2", "0"),
    column("Silver", "4", "6", "1", "0", "2"),
    column("Continent", "Arda", "Arda", "Bora", "Bora", "Arda"),
)


def test_the_longest_stretch_of_each_column_is_an_anchor() -> None:
    table = sheet(column("Ship", "Red Star", "Star"), column("Port", "Red Star Quay", "Oslo"))
    found = find_anchors(table, read_words("where is the Red Star"))
    assert [(a.start, a.end, a.column, a.mask, a.is_exact) for a in found] == [(3, 5, 0, 1, True), (3, 5, 1, 1, False)]


@pytest.mark.parametrize(
    "words, place, expected",
    [
        ("with more than 30 points", 3, (">", 1, 4)),
        ("at least 2 medals", 2, (">=", 0, 3)),
        ("under 240", 1, ("<", 0, 2)),
        ("10 or fewer", 0, ("<=", 0, 3)),
        ("in 2003", 1, ("", 1, 1)),
    ],
)
def test_comparisons_around_a_number(words: str, place: int, expected: tuple[str, int, int]) -> None:
    assert comparison_at(tuple(words.split()), place) == expected


def test_forms_hold_the_operators_and_their_answers() -> None:
    words = read_words("which nation is listed after Ostia")
    some = {
        (f.rows_by, f.step, f.result, f.column): f.answers for f in forms(MEDALS, words, find_anchors(MEDALS, words))
    }
    assert some["a", "next", "cells", 1] == ("Westa",)
    assert some["a", "previous", "cells", 1] == ("Sudland",)
    assert some["all", "", "count", -1] == ("5",)
    assert some["-a", "", "count", -1] == ("4",)
    assert some["all", "most", "value", 4] == ("Arda",)


COSTS = sheet(
    column("Item", "Products", "Services", "Support"),
    column("Year ended 2018", "40", "10", "50"),
    column("Year ended 2019", "60", "30", "10"),
)


@pytest.mark.parametrize(
    "question, rows_by, step, result, answers",
    [
        ("In which year were Products larger?", "a", "max", "year of heading", ("2019",)),
        ("In which year was Support less than 20?", "a", "compare<", "heading", ("Year ended 2019",)),
        ("What was Services in 2019 and 2018 respectively?", "a", "across", "two cells", ("30", "10")),
        ("What is the percentage of Services in Products in 2019?", "a|a", "", "percentage", ("50",)),
        ("What is the ratio of Products to Services in 2018?", "a|a", "", "ratio", ("4",)),
        ("What share of all costs was Support in 2018?", "a", "", "share", ("50",)),
    ],
)
def test_years_as_columns_are_compared_and_cells_divided(
    question: str, rows_by: str, step: str, result: str, answers: tuple[str, ...]
) -> None:
    words_ = read_words(question)
    anchors = find_anchors(COSTS, words_)
    found = [f for f in forms(COSTS, words_, anchors) if (f.rows_by, f.step, f.result) == (rows_by, step, result)]
    assert answers in {f.answers for f in found}
    for form in found:
        tree = form_query(COSTS, words_, anchors, form)
        assert query_from_json(query_json(tree)) == tree
        assert words(tree)


@pytest.mark.parametrize(
    "question, answer, said",
    [
        (
            "What nation is listed after Ostia?",
            "Westa",
            "Nation of (rows whose Nation is Ostia, the row after it in the file)",
        ),
        (
            "What nation is listed before Ostia?",
            "Sudland",
            "Nation of (rows whose Nation is Ostia, the row before it in the file)",
        ),
        (
            "Who won more gold medals, Westa or Ostia?",
            "Ostia",
            "Nation of (rows whose Nation is Westa or rows whose Nation is Ostia, only the one with the highest Gold)",
        ),
        ("Which nation won the most gold medals?", "Norland", "Nation of (rows, only the one with the highest Gold)"),
        ("What is the total number of gold medals won by all nations?", "21", "the sum of Gold over rows"),
        ("How many nations are listed?", "5", "the number of rows"),
        ("How many nations won more than 2 gold medals?", "3", "the number of rows whose Gold is more than 2"),
        ("What is the last nation listed?", "Mitte", "Nation of (rows, only the last one in the file)"),
        ("How many gold medals did Sudland win?", "7", "Gold of rows whose Nation is Sudland"),
    ],
)
def test_the_likeliest_form_answers(question: str, answer: str, said: str) -> None:
    ranked = rank(MEDALS, question)
    assert ranked is not None
    first = ranked.best[0]
    assert first.form.answers == (answer,)
    assert words(first.query) == said
    assert first.probability == pytest.approx(ranked.support([answer]))


@pytest.mark.parametrize(
    "question", ["How many more gold medals has Norland than Ostia?", "Which nation is second after Ostia over 2 gold?"]
)
def test_every_form_has_a_query_that_comes_back_from_its_json(question: str) -> None:
    asked = read_words(question)
    anchors = find_anchors(MEDALS, asked)
    made = list(forms(MEDALS, asked, anchors))
    queries = [form_query(MEDALS, asked, anchors, form) for form in made]
    assert {f.result for f in made} >= {"cells", "count", "sum", "value"}
    assert all(words(q) for q in queries)
    assert [query_from_json(query_json(q)) for q in queries] == queries


def test_words_without_a_place_are_named() -> None:
    ranked = rank(MEDALS, "Which nation's curling squad won the most gold medals?")
    assert ranked is not None
    assert {"curling", "squad"} <= set(ranked.best[0].unplaced)
    assert ranked.best[0].is_head_placed


def test_a_noun_without_a_place_is_noticed() -> None:
    ranked = rank(MEDALS, "Which goalkeeper is from Norland?")
    assert ranked is not None
    assert not ranked.best[0].is_head_placed


def test_probabilities_add_up_to_one() -> None:
    ranked = rank(MEDALS, "Which nation won the most gold medals?")
    assert ranked is not None
    assert sum(ranked.answers.values()) == pytest.approx(1.0)
    assert ranked.support(["Atlantis"]) == 0
    assert [one.probability for one in ranked.best] == sorted((o.probability for o in ranked.best), reverse=True)


def answers_of(question: str, table: Sheet = MEDALS) -> dict[tuple[str, str, str, int, int], tuple[str, ...]]:
    words = read_words(question)
    found = forms(table, words, find_anchors(table, words))
    return {(f.rows_by, f.step, f.result, f.column, f.by): f.answers for f in found}


def test_rows_are_compared_to_a_named_row() -> None:
    some = answers_of("how many nations won more silver medals than Ostia")
    assert some["more", "", "count", -1, 3] == ("3",)
    assert some["more", "", "cells", 1, 3] == ("Norland", "Sudland", "Mitte")
    assert some["less", "", "cells", 1, 2] == ("Westa", "Mitte")
    assert some["above", "", "count", -1, -1] == ("2",)
    assert some["below", "", "count", -1, -1] == ("2",)


def test_the_columns_of_one_row_are_computed_with_each_other() -> None:
    some = answers_of("by how much did the gold medals of Norland exceed its silver medals")
    assert some["a", "across", "difference", 2, 3] == ("5",)
    assert some["a", "across", "change", 2, 3] == ("125",)
    assert some["a", "across", "sum", 2, 3] == ("13",)
    assert some["a", "across", "avg", 2, 3] == ("6.5",)
    asked = read_words("Norland")
    anchors = find_anchors(MEDALS, asked)
    row = next(f for f in forms(MEDALS, asked, anchors) if f[:5] == ("a", "across", "difference", 2, 3))
    assert "Gold" in words(form_query(MEDALS, asked, anchors, row))


@pytest.mark.parametrize("question, mask", [("how many winners were there", 0b101), ("a nominee of France", 0)])
def test_a_word_of_the_family_is_an_anchor_if_no_cell_has_the_word(question: str, mask: int) -> None:
    table = sheet(column("Festival", "Oslo", "Cork", "Visby"), column("Result", "Won", "Lost", "Won"))
    found = [a for a in find_anchors(table, read_words(question)) if a.is_kin]
    assert [a.mask for a in found] == ([mask] if mask else [])


def test_an_adjective_of_a_country_is_an_anchor_for_the_country() -> None:
    table = sheet(column("Player", "Ole", "Una"), column("Country", "Norway", "Sweden"))
    found = find_anchors(table, read_words("how many players are Norwegian"))
    assert [(a.column, a.mask, a.is_kin) for a in found] == [(1, 1, True)]


def test_a_heading_that_is_near_in_meaning_is_preferred() -> None:
    """Without vectors nothing tells the columns apart; with them "film" is near to "movie"."""
    table = sheet(column("Movie", "Gull", "Tern"), column("Town", "Oslo", "Cork"), column("Year", "1999", "2001"))
    words = read_words("which film is from 2001")
    vectors = {"movie": (1.0, 0.0), "film": (0.9, 0.4), "town": (0.0, 1.0), "year": (0.1, 0.9)}

    def embed(texts: Sequence[str]) -> Floats:
        return np.array([vectors.get(t, (0.0, 0.0)) for t in texts])

    near = Features(table, words, find_anchors(table, words), embed).near
    assert near is not None
    assert near[0][-1] > near[1][-1]

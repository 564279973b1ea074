"""Wording rules: what the words of a question suggest, for questions that everyone asks in their own way."""

from __future__ import annotations

import re
import time
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.agents import answer_type_words
from hydra_kg.language.form_notation import form_finder, form_pattern, split_alternatives
from hydra_kg.language.relation_phrases import suggest_relations

LEXICON = files("hydra_kg.language").joinpath("lexicon/en")
LINES = [
    line
    for name in ("relation_phrases", "answer_types")
    for line in LEXICON.joinpath(f"{name}.tsv").read_text("utf-8").splitlines()
]
RULES = [line.split("\t") for line in LINES if line and not line.startswith("#")]


@pytest.mark.parametrize(
    "question, words",
    [
        ("where was _ born", "place of birth"),
        ("what is the birthplace of _", "place of birth"),
        ("where did _ die", "place of death"),
        ("how did _ die", "cause of death"),
        ("who is _ married to", "spouse"),
        ("who was the wife of _", "spouse"),
        ("who are the parents of _", "parents"),
        ("what language do they speak in _", "official language"),
        ("what currency does _ use", "currency"),
        ("what is the capital of _", "capital"),
        ("who directed _", "directed by"),
        ("who wrote _", "author"),
        ("who founded _", "founders"),
        ("where did _ go to school", "education"),
        ("which movies did _ star in", "film"),
        ("what countries border _", "adjoins"),
        ("when was _ born", "date of birth"),
        ("when did _ die", "date of death"),
        ("what year was _ founded", "date founded"),
        ("what is the population of _", "population"),
        ("how tall is _", "height"),
    ],
)
def test_the_wording_suggests_the_relation(question, words):
    found = suggest_relations(question, "question")
    assert any(words in hint for group in found for hint in group), found


@pytest.mark.parametrize(
    "question, kind",
    [
        ("who directed _", "person"),
        ("whom did _ marry", "person"),
        ("which actor plays _", "person"),
        ("where was _ born", "location"),
        ("in which city was _ born", "location"),
        ("what country is _ in", "location"),
        ("when did _ die", "date"),
        ("what year did _ win", "date"),
        ("how many people live in _", "number"),
        ("how tall is _", "number"),
        ("is _ the capital of _", "boolean"),
        ("which film won _", ""),
        ("", ""),
    ],
)
def test_the_wording_says_what_kind_of_thing_is_asked_for(question, kind):
    assert answer_type_words.answer_type(question) == kind


def test_nothing_said_is_nothing_suggested():
    assert suggest_relations("", "question") == ()
    assert suggest_relations("_", "question") == ()


def test_each_rule_that_fits_suggests_once_in_the_order_of_the_rules():
    found = suggest_relations("where was the birthplace of _ born", "question")
    assert len(found) == len(set(found))
    order = [tuple(texts.split("; ")) for kind, _, texts in RULES if kind in {"any", "question"}]
    assert [order.index(h) for h in found] == sorted(order.index(h) for h in found)


def test_a_question_inside_a_question_suggests_both():
    found = suggest_relations("which currency is used in the country whose capital is _", "question")
    assert {"currency", "capital"} <= {hint for group in found for hint in group}
    assert len(found) >= 2


@pytest.mark.parametrize(
    "question, person",
    [
        ("who was the father of _", True),
        ("who is _ s mother", True),
        ("who wrote _", True),
        ("whose son was _", True),
        ("who is _", False),
        ("who are _ s trading partners", False),
        ("who speaks _", False),
        ("what river flows through _", False),
    ],
)
def test_who_asks_for_a_person_where_no_country_can_be_meant(question, person):
    assert ("person" in answer_type_words.answer_kinds(question)) is person


def test_the_table_is_well_formed():
    assert LINES[0].startswith("#")
    for row in RULES:
        assert len(row) == 3, row
        kind, pattern, text = row
        assert kind in {"any", "question", "phrase", "type", "kind"}, row
        assert form_finder(pattern)
        assert text == text.strip() == " ".join(text.split())
        assert all(text.split("; "))
        if kind == "type":
            assert text in {"person", "location", "date", "number", "boolean"}


def test_no_rule_is_about_a_data_set():
    """The rules are about English: they name nothing and nobody."""
    text = " ".join(pattern for _, pattern, _ in RULES)
    assert not re.search(r"[A-Z]", re.sub(r"\\[A-Z]", "", text))


@given(st.text(max_size=200))
def test_any_text_is_legal(text):
    assert isinstance(suggest_relations(text, "question"), tuple)
    assert isinstance(answer_type_words.answer_type(text), str)


WORDS = sorted({word for _, pattern, _ in RULES for word in re.findall(r"[a-z]+", pattern.replace("\\b", " "))} | {"_"})


def naive(form: str) -> str:
    """Return a form as one regular expression, which takes time by the square of a text's length."""
    if form.startswith("re:"):
        return form[3:]
    ways = [[part.strip() for part in way.split("…")] for way in split_alternatives(form)]
    return "|".join(".*".join(map(_bounded, way)) for way in ways)


def _bounded(part: str) -> str:
    start, end = "" if part[0] in "^*" else r"\b", "" if part[-1] in "$*" else r"\b"
    return f"{start}(?:{form_pattern(part.strip('*'))}){end}"


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_each_rule_is_found_where_its_pattern_is(text):
    for _, pattern, _ in RULES:
        assert form_finder(pattern)(text) is bool(re.search(naive(pattern), text)), pattern


def test_reading_a_question_twice_as_long_takes_about_twice_as_long():
    def seconds(times: int) -> float:
        text, begun = "where was _ born and " * times, time.process_time()
        suggest_relations(text, "question")
        answer_type_words.answer_type(text)
        return time.process_time() - begun

    seconds(1)
    assert seconds(4_000) < 8 * seconds(1_000)  # by the square it is 16 times

"""The notation of forms: what it finds, and as a regular expression."""

from __future__ import annotations

import re
import time

import pytest

from hydra_kg.language import form_notation
from hydra_kg.language.form_notation import form_finder, form_pattern, longest_literal, split_alternatives
from hydra_kg.language.relation_phrases import suggest_relations


@pytest.mark.parametrize(
    "form, text, found",
    [
        ("who (wrote|penned) [the ]_", "who penned the _", True),
        ("who (wrote|penned) [the ]_", "who penned a _", False),
        ("born", "unborn", False),
        ("*born", "unborn", True),
        ("birth[ ]place*", "his birth places", True),
        ("birth[ ]place", "his birthplaces", False),
        ("where … born", "where was _ s mother born", True),
        ("where … born", "born where", False),
        ("^when|^at what time", "and when", False),
        ("_ (is|was) in$", "_ was in", True),
        ("_ (is|was) in$", "_ was in _", False),
        ("how many{ different| distinct} ~", "how many distinct different rivers", True),
        ("re:die[sd]? of", "died of", True),
        ("(a.b|c+)", "a.b", True),
        ("(a.b|c+)", "axb", False),
    ],
)
def test_a_form_is_found(form, text, found):
    assert form_finder(form)(text) is found


def test_a_form_is_a_regular_expression():
    assert re.fullmatch(form_pattern("quel[le] est [la ]ville"), "quelle est ville")
    assert split_alternatives("a (b|c)|[d|e]|f") == ["a (b|c)", "[d|e]", "f"]


def test_a_gap_takes_time_by_the_length_of_the_text():
    find = form_finder("where … born")

    def seconds(times: int) -> float:
        text, begun = "where was _ raised and " * times, time.process_time()
        find(text)
        return time.process_time() - begun

    seconds(1)
    assert seconds(40_000) < 8 * max(seconds(10_000), 0.001)  # by the square it is 16 times


@pytest.mark.parametrize(
    "form, literal",
    [
        ("wer hat _ gedreht", "wer hat "),
        ("(wo|wann) ist _", " ist "),
        ("quel[le][s] est noun (de|du) _", " est "),
        ("(a|b(c|d)[e])", ""),
        ("{next }of *kin", "kin"),
        ("谁…导演了_", "导演了"),
    ],
)
def test_the_longest_text_of_a_form_is_in_every_text_that_it_fits(form, literal):
    assert longest_literal(form, ("noun", "_")) == literal


def test_few_forms_are_compiled_for_one_question():
    form_notation._compiled.cache_clear()
    assert suggest_relations.__wrapped__("who directed _", "question")
    assert form_notation._compiled.cache_info().currsize < 20  # of some 190

"""The notation of forms: what it finds, and as a regular expression."""

from __future__ import annotations

import re
import time

import pytest

from hydra_kg.language.forms import form_finder, form_pattern, split_alternatives


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

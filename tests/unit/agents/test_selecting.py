"""Words that compute are found and taken out; what only sounds like them stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.agents.selecting import selection
from hydra_kg.domain import Selection


@pytest.mark.parametrize(
    "question, chosen, rest",
    [
        (
            "Which country that _ exports to has the largest calling code?",
            Selection("max", "number", "calling code"),
            "Which country that _ exports to?",
        ),
        ("Which lake in _ with the lowest depth?", Selection("min", "number", "depth"), "Which lake in _?"),
        (
            "What nation speaks _ and has a calling code greater than 1,238?",
            Selection("above", "number", "calling code", 1238.0),
            "What nation speaks _?",
        ),
        (
            "Which partner of _ has a share that is lower than 12.5?",
            Selection("below", "number", "share", 12.5),
            "Which partner of _?",
        ),
        ("Who inspired _ that died the earliest?", Selection("min", "date", "died date"), "Who inspired _?"),
        ("Which war of _ ended last?", Selection("max", "date", "ended date"), "Which war of _?"),
        ("What is the latest film _ acted in?", Selection("max", "date", "film date"), "What is the film _ acted in?"),
    ],
)
def test_what_is_computed_is_taken_out_of_the_question(question, chosen, rest):
    assert selection(question) == (chosen, rest)


@pytest.mark.parametrize(
    "question",
    [
        "What is _'s last name?",
        "what is the last name of _",
        "Who was the first lady of _?",
        "Where did _ first live?",
        "Who is more famous than _?",
        "What is higher than _?",
        "Over 50 people know _?",
        "What is the largest city in _?",
        "where was _ born",
        "",
    ],
)
def test_what_only_sounds_like_it_stays(question):
    assert selection(question) == (None, question)


@given(st.text(alphabet="the largest last has 123 than greater code died _?,.é\n", max_size=120))
def test_any_text_is_a_question(question):
    chosen, rest = selection(question)
    assert chosen is None or (chosen.attribute and len(rest) < len(question) + 1)

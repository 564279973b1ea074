"""Rule-based extraction: sentences of a text, and what stands between two mentions of a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.extract.mentions import RuleExtractor, sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text, parts",
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("No end", ["No end"]),
        ("", []),
        ("  \n ", []),
        ("He was born in 1961. 1964 was another year.", ["He was born in 1961.", "1964 was another year."]),
        ("It costs 3.5 million. And more.", ["It costs 3.5 million.", "And more."]),
        ("J. R. R. Tolkien wrote it. He did.", ["J. R. R. Tolkien wrote it.", "He did."]),
        ("Mr. Smith met Dr. Who in St. Louis. They left.", ["Mr. Smith met Dr. Who in St. Louis.", "They left."]),
        ("He lived in the U.S. Senate offices. Then not.", ["He lived in the U.S. Senate offices.", "Then not."]),
        ("The end. but it went on.", ["The end. but it went on."]),
        ("Élan came. Éire went.", ["Élan came.", "Éire went."]),
        ("First line.\nSecond line.", ["First line.", "Second line."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("It ended (in 1990.) Nobody knew.", ["It ended (in 1990.)", "Nobody knew."]),
        ('She came. "Where?" he asked.', ["She came.", '"Where?" he asked.']),
    ],
)
def test_sentences(text, parts):
    assert split(text) == parts


@given(st.text(st.sampled_from("aB .!?\"')(\n1É"), max_size=60), st.integers(-1, 61))
def test_sentences_up_to_a_place_are_those_that_begin_before(text, reach):
    assert sentences(text, reach) == [(start, end) for start, end in sentences(text) if start <= max(reach, 0)]


@given(st.text(st.sampled_from("aB .!?\"')(\n1É"), max_size=60) | st.text(max_size=60))
def test_sentences_cover_the_text_in_order_and_lose_only_space(text):
    spans = sentences(text)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()


TEXT = "Mozart was born in Salzburg, a city in Austria."
MOZART, SALZBURG, AUSTRIA = (0, 6, 1), (19, 27, 2), (39, 46, 3)


def paths(*mentions: tuple[int, int, int], text: str = TEXT) -> list[tuple[int, str, int]]:
    return RuleExtractor().paths(text, mentions)


def test_neighbouring_mentions_are_joined_by_the_words_between():
    wanted = [(1, "was born in", 2), (2, "a city in", 3)]
    assert paths(MOZART, SALZBURG, AUSTRIA) == wanted
    assert paths(AUSTRIA, MOZART, SALZBURG) == wanted


def test_a_mention_left_out_becomes_words():
    assert paths(MOZART, AUSTRIA) == [(1, "was born in Salzburg a city in", 3)]


def test_nothing_is_said_by_punctuation_or_about_oneself():
    assert paths((0, 6, 1), (8, 14, 2), text="Mozart, Vienna.") == []
    assert paths((0, 6, 1), (20, 22, 1), text="Mozart, who was born he") == []


def test_overlapping_mentions_are_not_joined():
    assert paths((0, 12, 1), (9, 13, 2), text="Bank of China town") == []


@pytest.mark.parametrize("words, joined", [(12, 1), (13, 0)])
def test_far_apart_is_not_joined(words, joined):
    text = "A " + " ".join(["x"] * words) + " B"
    assert len(paths((0, 1, 1), (len(text) - 1, len(text), 2), text=text)) == joined


def test_one_mention_says_nothing():
    assert paths() == paths(MOZART) == []


SPAN = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 4))


@given(text=st.text(max_size=50), mentions=st.lists(SPAN, max_size=5))
def test_any_text_and_spans_are_legal(text, mentions):
    for a, phrase, b in paths(*mentions, text=text):
        assert a != b
        assert 1 <= len(phrase.split()) <= 12
        assert all(word in text for word in phrase.split())

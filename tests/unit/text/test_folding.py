"""Folding: what counts as the same name."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hydra_kg.text.folding import fold, fold_all, tokens


@pytest.mark.parametrize(
    "left, right",
    [
        ("Zoë Kravitz", "zoe  KRAVITZ"),
        ("Straße", "STRASSE"),
        ("AT&T", "at t"),
        ("o'neil", "O’Neil"),
        ("C++", "c"),
        ("ﬁlm", "film"),
        ("Ｗｉｄｅ", "wide"),
        ("co­operate", "cooperate"),
        ("naïve\t café\n", "Naive Cafe"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("Louis XIV.", "louis xiv"),
        ("ǅ", "dž"),
        ("Ångström", "angstrom"),
        ("x²", "x2"),
        ("İstanbul", "istanbul"),
    ],
)
def test_the_same_name(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(
    "left, right",
    [
        ("Paris", "Pari"),
        ("!!!", "?"),
        ("नदी", "नद"),
        ("北京", "東京"),
        ("a b", "ab"),
    ],
)
def test_different_names(left: str, right: str) -> None:
    assert fold(left) != fold(right)


@given(st.lists(st.text() | st.text("aB9 -\n\té'")))
@example(["a\nb", "", " ", "é\n", "\n", "-- A  b --", "!", "C++"])
@example([])
def test_many_texts_fold_as_one_by_one(texts: list[str]) -> None:
    assert fold_all(texts) == [fold(text) for text in texts]


@given(st.text())
@example("ͅ")
@example("ᾳ̈ß")
@example("\x00 \ud800")
@example("—!—")
@example("㎯㎮")
def test_folding_is_idempotent_and_tidy(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert folded == " ".join(folded.split())
    assert fold(f"  {text}\n") == folded


@given(st.text())
def test_tokens_are_the_words_of_the_folded_text(text: str) -> None:
    words = tokens(text)
    assert all(words)
    assert all(fold(w) == w for w in words)
    assert words in ([], fold(text).split())


def test_tokens() -> None:
    assert tokens("Who is Zoë O'Neil's (step-)mother?") == "who is zoe o neil s step mother".split()
    assert tokens("?!") == []
    assert fold("?!") == "?!"
    assert fold("\x00 \u200b\n") == fold("") == ""
    assert tokens("नदी 北京") == ["नदी", "北京"]

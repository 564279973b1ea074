"""Edit distance against a definition by recursion, and the fast search of a vocabulary against comparing all words."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.text.typos import MOST, Vocabulary, count_allowed_typos, distance, is_misspelling, meant, nearest, within

WORDS = st.text("abcé日1", max_size=9)


def plain(a: str, b: str) -> int:
    """Optimal string alignment, as it is defined."""

    @cache
    def d(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        least = min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
        if i > 1 and j > 1 and (a[i - 1], a[i - 2]) == (b[j - 2], b[j - 1]):
            least = min(least, d(i - 2, j - 2) + 1)
        return least

    return d(len(a), len(b))


@given(WORDS, WORDS, st.integers(0, 3))
def test_distance(a: str, b: str, limit: int) -> None:
    """Exact up to the limit, and one more beyond it."""
    assert distance(a, b, limit) == min(plain(a, b), limit + 1)


@given(WORDS, st.dictionaries(WORDS, st.integers(1, 5), max_size=20))
def test_vocabulary(word: str, words: dict[str, int]) -> None:
    """The bit sets rule out nothing that is near."""
    assert sorted(Vocabulary(words.items()).near(word)) == sorted(
        within(word, count_allowed_typos(word), list(words.items()))
    )


@pytest.mark.parametrize(
    "word, errors", [("abc", 0), ("1999", 0), ("abcd", 1), ("abcdefg", 1), ("abcdefgh", 2), ("q42x", 0)]
)
def test_allowed(word: str, errors: int) -> None:
    """Short words and years have no second reading."""
    assert count_allowed_typos(word) == errors


def test_nearest_adds_counts_and_is_bounded() -> None:
    """The nearest first, then the commonest over all loads, then by spelling; never more than MOST."""
    assert nearest([(1, 2, "b"), (1, 2, "a"), (1, 1, "b"), (0, 1, "z")]) == ["z", "b", "a"]
    assert len(nearest((1, 1, f"w{i}") for i in range(100))) == MOST


class _Watched(Vocabulary):
    """A vocabulary that knows what was looked for."""

    asked: list[str]

    def near(self, word: str) -> list[tuple[int, int, str]]:
        self.asked.append(word)
        return super().near(word)


def test_no_word_is_looked_for_twice_or_behind_one_that_is_nothing() -> None:
    """In a vocabulary of millions every search costs milliseconds; where no word is long enough it is not even read."""
    vocabulary = _Watched([("bezo", 3), ("bezu", 5), ("kuku", 1)])
    vocabulary.asked, known = [], dict[str, list[str]]()
    assert meant(["bezo", "kuku", "of"], lambda: [vocabulary], known) == [["bezo", "bezu"], ["kuku"], ["of"]]
    assert meant(["bezo", "kuku"], lambda: [vocabulary], known) == [["bezo", "bezu"], ["kuku"]]
    assert meant(["bazo", "nationality", "kuki"], lambda: [vocabulary], known) == []
    assert vocabulary.asked == ["bezo", "kuku", "nationality"]
    assert meant(["of", "the"], lambda: pytest.fail("read in vain"), known) == [["the"], ["of"]]


@pytest.mark.parametrize(
    "said, name, wanted",
    [
        ("donepezill", "Donepezil", True),
        ("metphormin", "Metformin", True),  # two errors, in ten letters
        ("see adler", "Seeadler", True),
        ("Alzeheimer's disease", "Alzheimer's disease", True),
        ("einstien", "Albert Einstein", True),  # some words of a name
        ("Nordstren", "Nordstern", True),
        ("Magic Flute", "Magic Johnson", False),
        ("aspirin", "Donepezil", False),
        ("lund", "land", True),
        ("ada", "Ida", False),  # too short for an error
        ("apollo 11", "Apollo 13", False),  # numbers are not misspelt
        ("apolo 13", "Apollo 13", True),
    ],
)
def test_a_misspelt_name_has_few_errors_for_its_length(said: str, name: str, wanted: bool):
    assert is_misspelling(said, name) is wanted


def test_similar_words_come_best_first():
    found = Vocabulary([("levodopa", 1), ("donepezil", 1), ("dopamine", 1)])
    assert found.similar("levodoppaaa", most=2, least=60) == ["levodopa"]
    assert found.similar("xyz", most=2, least=60) == []

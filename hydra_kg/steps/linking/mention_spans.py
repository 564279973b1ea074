"""Spans of a question that may be names: its words, and the n-grams that are looked up."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.word_classes import FUNCTION, INTERJECTIONS, described, peoples
from hydra_kg.language.tokens import PARTICLES, Splitter, Word

_split: Final = Splitter(".'’&")
_AWARDS: Final = frozenset({"award", "prize", "medal"})
_MAX_WORDS: Final = 8
_TITLE_WORDS: Final = 12  # the same for a title, whose first and last words are capitalised
_MOST_WORDS: Final = 400


def words(question: str) -> list[Word]:
    """Return the words of a question, at most 400: nobody asks longer ones, and sentences are shorter."""
    return _split(question)[:_MOST_WORDS]


def word_at(parts: Sequence[Word], place: int) -> int:
    """Return the word at a place of the question."""
    return max(bisect_right([w.start for w in parts], place) - 1, 0)


def capitalised(parts: Sequence[Word]) -> bool:
    """Return True if a word other than the first, which always may be, is capitalised."""
    return any(w.text[:1].isupper() for w in parts[1:])


def lowered(parts: Sequence[Word]) -> list[str]:
    """Return the words in lower case."""
    return [p.text.casefold() for p in parts]


def names_nothing(parts: Sequence[Word]) -> bool:
    """Return True for a greeting or thanks, which names nobody and asks nothing of the data."""
    return INTERJECTIONS.union(FUNCTION).issuperset(lowered(parts))


def spans_of(question: str, parts: Sequence[Word]) -> list[tuple[str, int, int]]:
    """Return the spans that are looked up as names: (text, first word, last word); texts may be spelt out."""
    spans = []
    low = lowered(parts)
    plain = [w in FUNCTION or w in PARTICLES for w in low]
    brief = [len(w) <= 2 and not p for w, p in zip(low, plain, strict=True)]
    for i in range(len(parts)):
        for j in range(i, min(len(parts), i + _TITLE_WORDS)):
            whole = question[parts[i].start : parts[j].end]
            if j - i >= _MAX_WORDS and not (whole[:1].isupper() and parts[j].text[:1].isupper()):
                continue
            united_states = whole.casefold() == "us" and (
                whole == "US" or (i and parts[i - 1].text.casefold() == "the")
            )
            if united_states:
                spans.append((whole, i, j))
            if i == j and _is_title(question, parts[i]):
                spans.append((whole, i, j))
            if all(plain[i : j + 1]) or low[j] in {"the", "a", "an", "of", "and"}:
                continue
            if plain[i] and low[i] not in {"the", "a"} and not parts[i].text[:1].isupper():
                continue
            spans.append((whole, i, j))
            if parts[j].full > parts[j].end:
                spans.append((question[parts[i].start : parts[j].full], i, j))
            if low[j] in _AWARDS and parts[j].text[:1].isupper() and j > i:
                spans.append((f"{whole}s", i, j))  # all of them together are called "Academy Awards"
            if any(brief[i : j + 1]):
                spans += [(text, i, j) for text in _initials(low[i : j + 1])]
    return [*spans, *peoples(low), *described(low)]


def _is_title(question: str, word: Word) -> bool:
    """Return True for a function word that alone is capitalised within a sentence, like a title: "Who directed Up?"."""
    before, after = question[: word.start].rstrip(), question[word.end :].lstrip()
    named = word.text[:1].isupper() and word.text[1:].islower() and before[-1:].isalnum()
    return named and not (before.rsplit(None, 1)[-1][:1].isupper() or after[:1].isupper())


def _initials(names: Sequence[str]) -> list[str]:
    """Return other spellings of a person's name: ``stephen g breyer`` without initial, ``jr smith`` as j r smith."""
    rest = [w for w in names[1:-1] if len(w) > 1 or w in FUNCTION]
    found = [" ".join((names[0], *rest, names[-1]))] if len(rest) < len(names) - 2 else []
    if len(names) == 2 and len(names[0]) == 2 and names[0].isalpha() and names[0] not in FUNCTION:
        found.append(" ".join((*names[0], names[1])))
    return found


def content_runs(question: str, parts: Sequence[Word]) -> list[tuple[str, int, int]]:
    """Return the runs of at most four words that begin and end with a content word, longest first."""
    runs = []
    for i in range(len(parts)):
        for j in range(i, min(len(parts), i + 4)):
            ends = parts[i].text.casefold(), parts[j].text.casefold()
            if not (ends[0] in FUNCTION or ends[1] in FUNCTION):
                runs.append((question[parts[i].start : parts[j].end], i, j))
    return sorted(runs, key=lambda r: (r[1] - r[2], r[1]))

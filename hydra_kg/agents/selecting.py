"""Words that compute: "with the largest …", "greater than 5", "the earliest …", found in a question and taken out."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.domain import Selection
from hydra_kg.language.adjectives import QUANTITY_ORDER, superlative_orders
from hydra_kg.language.lexicon import list_words

_SIZE: Final = superlative_orders("number") | {w: QUANTITY_ORDER[w] for w in ("most", "least", "fewest")}
_TIME: Final = superlative_orders("date") | {"first": "min", "last": "max"}
_ABOVE: Final = list_words("greater")
_BELOW: Final = list_words("smaller")
_BEING: Final = list_words("be be_infinitive") | {"being", "of", "that", "which"}
_OWNING: Final = list_words("owning") | {"with", "where", "and", "in", ","}
_HAS: Final = list_words("have having") | {"with"}
_STOP: Final = _OWNING | _BEING | {"_", ".", "?", "!", ";", ":", "of", "for", "from", "by", "to", "as", "or"}
_NAMING: Final = list_words("not_ordered")  # "last name", "first lady": no order
_VERB: Final = re.compile(r"(?:[a-z]+ed|died|born|began|won|built|made|came|went|left|got)")
_TOKEN: Final = re.compile(r"\d[\d,]*(?:\.\d+)?|\w+|[^\w\s]")
_MOST: Final = 4  # words of an attribute


def selection(marked: str) -> tuple[Selection | None, str]:
    """Return the selection in a question (mentions as ``_``), or None, and the question without its words."""
    spans = [m.span() for m in _TOKEN.finditer(marked)]
    words = [marked[a:b].casefold() for a, b in spans]
    for find in (_compared, _owned, _timed):
        if found := find(words):
            chosen, first, last = found
            rest = f"{marked[: spans[first][0]].rstrip()} {marked[spans[last][1] :].lstrip()}"
            return chosen, re.sub(r"\s+([?.!,])", r"\1", rest).strip()
    return None, marked


_Found = tuple[Selection, int, int]


def _compared(words: list[str]) -> _Found | None:
    """ "country calling code greater than 55": the attribute stands before, a number after."""
    for i, word in enumerate(words):
        if word not in _ABOVE | _BELOW:
            continue
        last = i + 1 + (words[i + 1 : i + 2] == ["than"])
        bound = _number(words[last]) if last < len(words) else None
        if bound is None:
            continue
        end = i
        while end and words[end - 1] in _BEING:
            end -= 1
        start = end
        while start and end - start < _MOST and words[start - 1] not in _STOP:
            start -= 1
        if start == end:
            continue
        what = Selection("above" if word in _ABOVE else "below", "number", " ".join(words[start:end]), bound)
        return what, _before(words, start), last
    return None


def _owned(words: list[str]) -> _Found | None:
    """ "has the largest calling code": what is owned is the attribute."""
    for i, word in enumerate(words):
        start = i - (words[i - 1 : i] == ["the"])
        if word not in _SIZE or not start or words[start - 1] not in _HAS:
            continue
        end = i + 1
        while end < len(words) and end - i <= _MOST and words[end] not in _STOP:
            end += 1
        if end > i + 1:
            what = Selection(_SIZE[word], "number", " ".join(words[i + 1 : end]))
            return what, _before(words, start), end - 1
    return None


def _timed(words: list[str]) -> _Found | None:
    """ "died the earliest", "ended last": a verb before; or "the earliest film": a noun behind."""
    for i, word in enumerate(words):
        if word not in _TIME:
            continue
        start = i - (words[i - 1 : i] == ["the"])
        clause = words[i + 1 : i + 2] in ([], ["?"], ["."], [","], ["and"])
        if clause and start and _VERB.fullmatch(words[start - 1]):
            what = Selection(_TIME[word], "date", f"{words[start - 1]} date")
            return what, _before(words, start - 1), i
        if start < i and not clause and words[i + 1] not in _STOP | _NAMING:
            return Selection(_TIME[word], "date", f"{words[i + 1]} date"), i, i
    return None


def _before(words: list[str], start: int) -> int:
    """Where the words that lead to the attribute begin; the question's own first words stay."""
    while start > 1 and words[start - 1] in _OWNING:
        start -= 1
    return start


def _number(word: str) -> float | None:
    try:
        return float(word.replace(",", ""))
    except ValueError:
        return None

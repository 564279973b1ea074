"""Find enumerations in a sentence, such as "married Ann Hill in 1962, Berta and Cleo", and the names that they list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.extract.reading.sentence_names import Name
from hydra_kg.extract.word_classes import PREPOSITION, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token
from hydra_kg.text.articles import ARTICLES

Span = tuple[int, int]

_AND: Final = list_words("coordination") | {"&"}
_ASIDE: Final = 6  # most tokens between brackets behind a name


def enumerations(tokens: Sequence[Token], names: Sequence[Name], *, works: bool) -> Iterator[list[Span]]:
    """Yield the spans of the names that each enumeration of a sentence lists, in order.

    Commas separate the names and "and" precedes the last one (three persons need none), so "and" before another comma
    joins the words of one name: "Sense and Sensibility, Emma and Persuasion". A name may be followed by a year or by
    brackets. With ``works``, small words may join the words of a name too: "Hail to the Thief".
    """
    spans = [(_begin(tokens, n), n.last) for n in names]
    run: list[Span] = []
    for at, span in enumerate(spans):
        run.append(span)
        after = spans[at + 1][0] if at + 1 < len(spans) else len(tokens)
        if after == len(tokens) or _gap(tokens, span[1], after, works=works) is None:
            yield from _listed(tokens, run, works=works)
            run = []


def _listed(tokens: Sequence[Token], run: Sequence[Span], *, works: bool) -> Iterator[list[Span]]:
    """Yield the names of a run of spans that only commas, "and", years and small words separate."""
    gaps = [_gap(tokens, a[1], b[0], works=works) for a, b in pairwise(run)]
    last = max((i for i, gap in enumerate(gaps) if gap == ","), default=-1)
    commas = not works and len(gaps) > 1 and set(gaps) == {","}
    if not (commas or "and" in gaps[last + 1 :] or gaps[-1:] == [", and"]):
        return
    several = any(gap in {",", ", and"} for gap in gaps)
    listed = [run[0]]
    for i, (gap, span) in enumerate(zip(gaps, run[1:], strict=True)):
        inside = gap == "" or (gap == "and" and several and (i < last or ", and" in gaps[i:]))
        if inside:
            listed[-1] = (listed[-1][0], span[1])
        else:
            listed.append(span)
    if len(listed) > 1:
        yield listed


def _begin(tokens: Sequence[Token], name: Name) -> int:
    """Return the first token of a name with the capitalised small words before it: "The Bends", "In Rainbows"."""
    first = name.first
    while first > 1 and tokens[first - 1].capital and tokens[first - 2].text not in {".", ":", "“", '"'}:
        first -= 1
    return first


def _gap(tokens: Sequence[Token], last: int, first: int, *, works: bool) -> str | None:
    """Return how two names are joined: ",", "and" or ", and", "" for parts of one name, or None."""
    low = [t.low for t in tokens[last + 1 : first]]
    if low[:1] == ["in"] and len(low) > 1 and low[1].isdigit():
        low = low[2:]
    elif low[:1] == ["("] and ")" in low[:_ASIDE]:
        low = low[low.index(")") + 1 :]
    if works and low and all(w in ARTICLES or kind(w) == PREPOSITION for w in low) and kind(low[0]) == PREPOSITION:
        return ""
    said = ["and" if w in _AND else w for w in low if w not in ARTICLES]
    text = " ".join(said)
    return text if text in {",", "and", ", and"} else None

"""A question in two halves: what a name leads to, and what is asked of that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Mention
from hydra_kg.extract.clauses import MARK, clauses
from hydra_kg.extract.reading.sentence_names import names
from hydra_kg.extract.word_classes import NOUN, NUMBER, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import tokenise
from hydra_kg.steps.crosscheck.kinds_in_names import PLACES
from hydra_kg.steps.retrieval.entity_types import Kinds, head, kinds_named
from hydra_kg.util.fast_dataclass import dataclass

_QUOTED: Final = re.compile(r'["“]([^"”]{3,})["”]')
_PLACED: Final = "where _ is located"
"""What a name leads to where the question leaves that out: "what money is used in (the country of) the region _"."""
_OF_AREAS: Final = list_words("of_an_area")
"""What a place has because the country or continent has it that it lies in."""

_ASKED: Final = re.compile(
    r"\b(?:what|which)(?: (?:is|are|was|were))?(?: (?:the|a|an|other))?(?: (?:most|best) [a-z]+)?"
    r"(?: (?:kind|type|form|sort|name)s? of)?(?: the)?((?: [a-z]+){1,4})"
)
_NO_NOUN: Final = list_words("kind other") | {"form", "sort", "name"}


@dataclass(frozen=True, slots=True)
class Halves:
    """The two halves of a question.

    ``inner`` is about the name ``_``; ``noun`` is what it leads to, or ""; ``outer`` is what is asked of that, ``_``.
    """

    inner: str
    noun: str
    outer: str

    @property
    def implied(self) -> bool:
        """Return True if the question does not say what lies between its name and its answer."""
        return not self.noun

    @property
    def meet(self) -> bool:
        """Return True if an entity may lie between the halves.

        It is said, or something that is true of an area is asked of a part of it.
        """
        return not self.implied or sought(self.outer) in _OF_AREAS


def halves(question: str, span: tuple[int, int]) -> Halves:
    """Return the halves of a question around the name at ``span`` (characters)."""
    pattern = _pattern(question, span)
    chain = clauses(pattern)
    if not chain:
        return Halves(_PLACED, "", pattern)
    outer = MARK
    for clause in reversed(chain[1:]):
        outer = _put(outer, clause.text) if outer != MARK else clause.text
    return Halves(chain[0].text, chain[0].noun, outer)


def sought(outer: str) -> str:
    """Return the noun of a half, such as "language" of "in _ which languages are spoken", or ""."""
    for m in _ASKED.finditer(outer):
        words = m[1].split()
        end = next((i for i, w in enumerate(words) if kind(w) not in {NOUN, NUMBER}), len(words))
        nouns = [w for w in words[:end] if w not in _NO_NOUN]
        if nouns:
            return head(nouns[-1])
    return "person" if outer.startswith("who ") else "place" if outer.startswith("where ") else ""


def sought_kinds(asked: Halves) -> Kinds:
    """Return the kinds of thing that are asked for; "where" asks for places."""
    noun = sought(asked.outer)
    return PLACES if noun == "place" else kinds_named(noun)


def _put(outer: str, inner: str) -> str:
    return " ".join(inner if w == MARK else w for w in outer.split())


def _pattern(question: str, span: tuple[int, int]) -> str:
    masked = f"{question[: span[0]]} {MARK} {question[span[1] :]}"
    return " ".join(re.sub(r"[^\w]+", " ", masked.casefold()).split())


def unplaced(question: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Return the places of unlinked names: quoted, unknown or capitalised; of overlapping ones, the longest."""
    tokens = tokenise(question)
    spans = [m.span(1) for m in _QUOTED.finditer(question)]
    spans += [(m.start, m.end) for m in mentions if m.chosen is None and m.start >= 0]
    spans += [(tokens[n.first].start, tokens[n.last].end) for n in names(question, tokens) if n.first]
    placed = [(m.start, m.end) for m in mentions if m.chosen is not None and m.start >= 0]
    found: list[tuple[int, int]] = []
    for a, b in sorted(spans, key=lambda s: (s[0] - s[1], s)):
        within = any(p <= a and b <= q for p, q in placed)
        if not within and not any(a < q and p < b for p, q in found):
            found.append((a, b))
    return found

"""Read any question for passages: its content words, the kind of value and the noun that it asks for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from hydra_kg.extract.reading.page_question import STOP, Asked, asked, content
from hydra_kg.extract.word_classes import ASKING, PREPOSITION, VERB
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.language.units import unit_dimensions
from hydra_kg.util.fast_dataclass import dataclass, replace

_NAME_WEIGHT: Final = 1.5
_NOUN_WEIGHT: Final = 0.5
"""Weight of the noun that is asked for ("which university"), which is often only in the answer."""
_BY_HOW_MUCH: Final = ["by", "how", "much"]
_PARTICLES: Final = list_words("name_particle")
_CLAIMED: Final = 3
_COUNTED: Final = ["how", "many"]
PLURAL_VERBS: Final = frozenset({"are", "were"})


@dataclass(frozen=True, slots=True)
class Term:
    """A content word of the question. ``name``: capitalised or a number. ``noun``: part of "which ..."."""

    stem: str
    low: str
    name: bool
    noun: bool

    @property
    def weight(self) -> float:
        """Return how much the word counts."""
        return (_NAME_WEIGHT if self.name else 1.0) * (_NOUN_WEIGHT if self.noun else 1.0)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with the words that a sentence should account for. ``noun``: stem of the noun asked for."""

    text: str
    asked: Asked
    terms: tuple[Term, ...]
    words: frozenset[str]
    noun: str = ""
    led: str = ""
    """The preposition at its end ("what is it known for"), which leads to the answer in a sentence."""
    several: bool = False
    """Whether several answers may be meant."""


def open_question(text: str, named: Sequence[tuple[int, int]] = ()) -> OpenQuestion | None:
    """Return the words and the kind of a question, or None if it has no question word or no content word.

    ``named``: the characters of names, which may be in lower case.
    """
    tokens = tokenise(text)
    at = _question_word(tokens)
    shape = asked(text[tokens[at].start :]) if tokens else None
    if [t.low for t in tokens[:3]] == _BY_HOW_MUCH and shape is not None:
        shape = replace(shape, dimensions=tuple(sorted(set(unit_dimensions().values()) - {""})))
    if shape is None and [t.low for t in tokens[at : at + 2]] == _COUNTED:  # "how many of the islands are inhabited"
        shape = Asked("count", content(tokens[at + 2 :]))
    if (shape is None or shape.kind == "definition") and at > 0:  # "a soap opera created by who?"
        shape = asked(f"{tokens[at].text} {text[: tokens[at].start]}")
    if shape is None or shape.kind == "definition" or not shape.words:
        return None
    nouns = _nouns_asked(tokens, at)
    noun = tokens[nouns[-1]].stem if nouns else shape.noun if shape.kind in {"count", "thing", "name"} else ""
    measured = range(at + 1, at + 2) if tokens[at].low == "how" else range(0)
    left_out = {at, *measured}
    terms = _terms(tokens, named, nouns, left_out)
    plural = any(tokens[i].low.endswith("s") for i in nouns[-1:])
    plural |= any(t.low in PLURAL_VERBS for t in tokens[at + 1 : at + 2])
    several = plural or shape.kind == "person"
    words = [t.low for t in tokens if t.word]
    led = words[-1] if kind_of(words[-1]) == PREPOSITION else ""
    return OpenQuestion(text, shape, terms, frozenset(words), noun, led, several)


def open_claim(text: str, named: Sequence[tuple[int, int]] = ()) -> OpenQuestion | None:
    """Return the words of a claim, as a question that yes or no answers, or None if it has fewer than three."""
    tokens = tokenise(text)
    terms = _terms(tokens, named, (), frozenset())
    words = frozenset(t.low for t in tokens if t.word)
    return OpenQuestion(text, Asked("whether", content(tokens)), terms, words) if len(terms) >= _CLAIMED else None


def _terms(
    tokens: Sequence[Token], named: Sequence[tuple[int, int]], nouns: Sequence[int], left_out: Collection[int]
) -> tuple[Term, ...]:
    """Return the content words, each once."""
    return tuple(
        dict.fromkeys(
            Term(t.stem, t.low, name=_is_name(t, i, named) or _is_in_name(tokens, i), noun=i in nouns)
            for i, t in enumerate(tokens)
            if t.word and t.low not in STOP and t.low != "'s" and i not in left_out
        )
    )


def _question_word(tokens: Sequence[Token]) -> int:
    """Return the place of the question word: the first that opens the question or a clause, else the last one.

    "A consultant who works with the mayor of what city?" asks what city; its "who" is a relative pronoun.
    """
    every = [i for i, t in enumerate(tokens) if t.low in ASKING]
    opening = (i for i in every if i < 2 or tokens[i - 1].text == ",")
    return next(opening, every[-1]) if every else 0


def _is_name(token: Token, at: int, named: Sequence[tuple[int, int]]) -> bool:
    is_capital_or_number = (token.capital and at > 0) or token.text[:1].isdigit()
    return is_capital_or_number or any(start <= token.start and token.end <= end for start, end in named)


def _is_in_name(tokens: Sequence[Token], at: int) -> bool:
    """Return True for a small word between two capitalised ones: "Piet van Dael"."""
    joins = tokens[at].low in _PARTICLES and 1 < at + 1 < len(tokens)
    return joins and tokens[at - 1].capital and tokens[at + 1].capital


def _nouns_asked(tokens: Sequence[Token], at: int) -> Sequence[int]:
    """Return the places of the noun phrase after "what" or "which": "which video game"."""
    if tokens[at].low not in {"what", "which"}:
        return range(0)
    end = at + 1
    while end < len(tokens) and tokens[end].word and tokens[end].low not in STOP:
        if kind_of(tokens[end].low) in {VERB, PREPOSITION} or (tokens[end].capital and end > at + 1):
            break
        end += 1
    return range(at + 1, end)

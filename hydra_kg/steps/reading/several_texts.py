"""Several texts that answer one question differently: about different things of one name, or one of them is wrong.

Two texts are about different things if they say at their beginning that these are something else ("is a Canadian
painter", "is an Irish rugby player"). Then every value is valid, and is given with its thing. Texts that describe the
thing alike contradict one another if they state different values and none states both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Passage
from hydra_kg.extract.mentions import sentences
from hydra_kg.extract.word_classes import BE, CONJUNCTION, DETERMINER, RELATIVES, kind
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.text.folding import fold

_SUBJECT: Final = 10
"""Tokens of a first sentence before which its "is" must stand."""


def tell_apart(conclusion: Conclusion, stated: Mapping[str, Mapping[str, Passage]]) -> Conclusion:
    """Return the conclusion with the thing of each value, or with the values that other texts state as a conflict.

    ``stated``: by value, the texts that state it, by id. Values that one text states together stay a list.
    """
    values = sorted(stated, key=lambda v: -len(stated[v]))
    alike = any(fold(a) in fold(b) for a in values for b in values if a != b)
    ids = [key for texts in stated.values() for key in texts]
    if len(values) < 2 or alike or len(set(ids)) < len(ids):
        return conclusion
    things = {value: {description(text.text) for text in stated[value].values()} for value in values}
    every = set[str]().union(*things.values())
    if "" not in every and len(every) == sum(map(len, things.values())):
        named = [f"{a.name} ({', '.join(sorted(things[a.name]))})" for a in conclusion.answers if a.name in things]
        return replace(conclusion, sentence=" and ".join(filter(None, [", ".join(named[:-1]), named[-1]])))
    return _conflict(conclusion, values, stated) if len(every) == 1 else conclusion


def description(text: str) -> str:
    """Return what a text says at its beginning that its subject is: "a Canadian painter"; "" if it does not."""
    start, end = next(iter(sentences(text)), (0, 0))
    first = text[start:end]
    tokens = tokenise(first)
    at = next((i for i, t in enumerate(tokens[:_SUBJECT]) if t.low in BE), -1)
    if at < 1 or at + 1 >= len(tokens) or kind(tokens[at + 1].text) != DETERMINER:
        return ""
    last = at + 1
    while last + 1 < len(tokens) and _goes_on(tokens[last + 1]):
        last += 1
    return first[tokens[at + 1].start : tokens[last].end] if last > at + 1 else ""


def _goes_on(token: Token) -> bool:
    return token.word and token.low not in RELATIVES and kind(token.text) != CONJUNCTION


def _conflict(conclusion: Conclusion, values: Sequence[str], stated: Mapping[str, Mapping[str, Passage]]) -> Conclusion:
    """Put the value of most texts first and return who states another one; every text counts as one."""
    first, *others = values
    voices = {v: {_place(p): p.source.rho for p in stated[v].values()} for v in values}
    sides = [f"{' and '.join(sorted(voices[v]))} {'say' if len(voices[v]) > 1 else 'says'} {v}" for v in values]
    return replace(
        conclusion,
        answers=tuple(sorted(conclusion.answers, key=lambda a: values.index(a.name))),
        evidence=tuple(sorted(conclusion.evidence, key=lambda e: values.index(e.answers[0].name))),
        supporting=voices[first],
        opposing={place: rho for v in others for place, rho in voices[v].items()},
        dissent=tuple(f"{place} says {v}" for v in others for place in sorted(voices[v])),
        sentence=f"Texts disagree: {'; '.join(sides)}",
    )


def _place(text: Passage) -> str:
    return str(replace(text.locator, page="")) or text.title or text.id

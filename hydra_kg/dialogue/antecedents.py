"""Which thing of the last turn a pronoun stands for: agreement first, then what the last question was about.

Salience follows centering (Grosz, Joshi and Weinstein 1995): the grammatical subject before all else. In "where is _
headquartered" that is what is named; in "who directed _" and "what is the capital of _" it is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hydra_kg.agents.planning.lexicon import AUXILIARIES
from hydra_kg.dialogue.turn import Thing, Turn
from hydra_kg.dialogue.words import IDENTITY
from hydra_kg.steps.retrieval.answer_type_filter import kinds_named

_BEFORE: Final = re.compile(r"(\w+)\s+(?:both\s+)?(?:the\s+)?(?:\w+\s+)?$", re.IGNORECASE)
_DIRECTLY: Final = re.compile(r"(\w+)\s+(?:both\s+)?(?:the\s+)?$", re.IGNORECASE)
_ASKED: Final = re.compile(r"^(?:(?:which|what)\s+(\w+)|who)\b", re.IGNORECASE)

Fits = Callable[[Thing], bool | None]


def antecedent(turn: Turn, fits: Fits) -> Thing | tuple[Thing, ...]:
    """Return the meant thing, those between which nothing decides, or (); earlier turns if none of the last agrees.

    ``fits``: agreement, None if unknown, which counts only if nothing is known.
    """
    ranks = list(_ranks(turn))
    dark = not any(t.kinds for rank in ranks for t in rank)
    several: tuple[Thing, ...] = ()
    for rank in ranks:
        found = _distinct(t for t in rank if (dark if (known := fits(t)) is None else known))
        if len(found) == 1:
            return found[0]
        several = several or found
    return several or next((t for t in turn.earlier if fits(t)), ())


def related_to(turn: Turn, found: Thing, fits: Fits, said: frozenset[str]) -> Thing:
    """Return the only other agreeing thing with relations of the follow-up's stems ``said``, if the found one has none:
    "who composed its music" means the film.
    """
    if found.related & said:
        return found
    others = [t for t in (*turn.topics, *turn.answers, *turn.between, *turn.earlier) if fits(t) and t.related & said]
    distinct = _distinct(iter(others))
    return distinct[0] if len(distinct) == 1 else found


def unanswered(turn: Turn, fits: Fits) -> bool:
    """Whether a pronoun may stand for the answer that the last question did not get: "which river flows through _"."""
    asked = _ASKED.match(turn.question)
    if turn.answered or asked is None or subject(turn) is not None:
        return False
    kinds = kinds_named(asked[1]) if asked[1] else frozenset({"person"})
    return bool(kinds) and bool(fits(Thing("", kinds=kinds)))


def subject(turn: Turn) -> Thing | None:
    """Return what the last question names as its grammatical subject: "where is _ headquartered"."""
    for topic in turn.topics:
        if topic.start < 0 or turn.question[topic.end :][:2].casefold() in {"'s", "’s"}:
            continue
        before = _DIRECTLY.search(turn.question[: topic.start]) or _BEFORE.search(turn.question[: topic.start])
        if before and before[1].casefold() in AUXILIARIES and not IDENTITY.match(turn.question):
            return topic
    return None


def _ranks(turn: Turn) -> Iterator[Sequence[Thing]]:
    """Things by salience; those of one rank are equals."""
    first = subject(turn)
    others = [t for t in turn.topics if t is not first]
    if first is not None:
        yield (first,)
    yield turn.answers
    yield others
    yield turn.between


def _distinct(things: Iterator[Thing]) -> tuple[Thing, ...]:
    """Each thing once: by its key, or by its name where it has none."""
    return tuple({t.key or t.name: t for t in things}.values())

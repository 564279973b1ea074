"""Find the thing of the last turn that a pronoun stands for, by agreement, then by salience.

Salience follows centering theory (Grosz, Joshi and Weinstein 1995): the grammatical subject ranks first. In "where is _
headquartered" the subject is the named thing. In "who directed _" and "what is the capital of _" it is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hydra_kg.agents.planning.lexicon import AUXILIARIES
from hydra_kg.dialogue.follow_up_words import IDENTITY
from hydra_kg.dialogue.turn import Thing, Turn
from hydra_kg.steps.retrieval.entity_types import kinds_named

_BEFORE: Final = re.compile(r"(\w+)\s+(?:both\s+)?(?:the\s+)?(?:\w+\s+)?$", re.IGNORECASE)
_DIRECTLY: Final = re.compile(r"(\w+)\s+(?:both\s+)?(?:the\s+)?$", re.IGNORECASE)
_ASKED: Final = re.compile(r"^(?:(?:which|what)\s+(\w+)|who)\b", re.IGNORECASE)

Fits = Callable[[Thing], bool | None]


def antecedent(turn: Turn, fits: Fits) -> Thing | tuple[Thing, ...]:
    """Return the thing that is meant, several if nothing decides between them, or ().

    If nothing of the last turn agrees, earlier turns are searched.

    fits: returns whether a thing agrees with the pronoun, or None if that is unknown. None counts as agreement only if
    the kind of no thing is known.
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


def find_related_thing(turn: Turn, found: Thing, fits: Fits, said: frozenset[str]) -> Thing:
    """Return the thing that has a relation which the follow-up names.

    That is ``found``, or, if it has no such relation, the only other agreeing thing that has one. For example, "who
    composed its music" means the film.

    said: stems of the words of the follow-up.
    """
    if found.related & said:
        return found
    others = [t for t in (*turn.topics, *turn.answers, *turn.between, *turn.earlier) if fits(t) and t.related & said]
    distinct = _distinct(iter(others))
    return distinct[0] if len(distinct) == 1 else found


def refers_to_missing_answer(turn: Turn, fits: Fits) -> bool:
    """Return True if a pronoun may stand for the answer that the last question did not get.

    For example, after "which river flows through _".
    """
    asked = _ASKED.match(turn.question)
    if turn.answered or asked is None or subject(turn) is not None:
        return False
    kinds = kinds_named(asked[1]) if asked[1] else frozenset({"person"})
    return bool(kinds) and bool(fits(Thing("", kinds=kinds)))


def subject(turn: Turn) -> Thing | None:
    """Return the thing that is the grammatical subject of the last question ("where is _ headquartered"), or None."""
    for topic in turn.topics:
        if topic.start < 0 or turn.question[topic.end :][:2].casefold() in {"'s", "’s"}:
            continue
        before = _DIRECTLY.search(turn.question[: topic.start]) or _BEFORE.search(turn.question[: topic.start])
        if before and before[1].casefold() in AUXILIARIES and not IDENTITY.match(turn.question):
            return topic
    return None


def _ranks(turn: Turn) -> Iterator[Sequence[Thing]]:
    """Yield the things of a turn by salience; things of one rank are equals."""
    first = subject(turn)
    others = [t for t in turn.topics if t is not first]
    if first is not None:
        yield (first,)
    yield turn.answers
    yield others
    yield turn.between


def _distinct(things: Iterator[Thing]) -> tuple[Thing, ...]:
    """Return each thing once: by its key, or by its name if it has no key."""
    return tuple({t.key or t.name: t for t in things}.values())

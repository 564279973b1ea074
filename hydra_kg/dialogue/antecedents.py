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

_BEFORE: Final = re.compile(r"(\w+)\s+(?:both\s+)?(?:the\s+)?(?:\w+\s+)?$", re.IGNORECASE)
_DIRECTLY: Final = re.compile(r"(\w+)\s+(?:both\s+)?(?:the\s+)?$", re.IGNORECASE)
_IDENTITY: Final = re.compile(r"^(?:who|what)\s+(?:is|are|was|were)\s", re.IGNORECASE)

Fits = Callable[[Thing], bool | None]


def antecedent(turn: Turn, fits: Fits) -> Thing | tuple[Thing, ...]:
    """The thing that is meant, or those among which nothing decides; () where none agrees.

    ``fits``: whether a thing agrees with what was said, None where that is not known: it counts only where nothing at
    all is known of any. Turns before the last are looked at where nothing of the last agrees.
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


def subject(turn: Turn) -> Thing | None:
    """What the last question names as its grammatical subject: "where is _ headquartered"."""
    for topic in turn.topics:
        if topic.start < 0 or turn.question[topic.end :][:2].casefold() in {"'s", "’s"}:
            continue
        before = _DIRECTLY.search(turn.question[: topic.start]) or _BEFORE.search(turn.question[: topic.start])
        if before and before[1].casefold() in AUXILIARIES and not _IDENTITY.match(turn.question):
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

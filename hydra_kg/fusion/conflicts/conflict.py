"""Kinds of conflict (value, time, entity, granularity) and the sentence that reports one (design §6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

ConflictKind = Literal["value", "time", "entity", "granularity"]

MOST_SHOWN = 3
"""Largest number of sources, and of times, that are named for one value."""

MOST = 6
"""Largest number of values that a sentence lists."""


@dataclass(frozen=True, slots=True)
class Side:
    """Value of a conflict with its sources.

    - ``when``: the circumstances of each statement.
    - ``things``: the ids of the entities that the statements are about.
    - ``weight``: the evidence for the value.
    """

    value: str
    sources: tuple[str, ...]
    when: frozenset[str] = frozenset()
    things: frozenset[int] = frozenset()
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Several values where one is expected. ``kind`` is the kind of conflict; ``sides`` are ordered best first."""

    kind: ConflictKind
    sides: tuple[Side, ...]

    @property
    def sentence(self) -> str:
        """The conflict as an answer shows it: ``Sources disagree: A says X; B and C say Y.``."""
        return conflict_sentence(self)


def is_list(stated: Iterable[tuple[Hashable, Hashable]]) -> bool:
    """Return True if some source of (source, value) pairs states several values: then all of them may be true.

    Two actors of one film are no conflict. Answers, fusion and the web page decide by this function.
    """
    first: dict[Hashable, Hashable] = {}
    return any(first.setdefault(source, value) != value for source, value in stated)


def conflict_of(
    sides: Sequence[Side],
    *,
    general: Callable[[str, str], bool] = lambda broad, narrow: False,
    subjects: Collection[int] = (),
) -> Conflict | None:
    """Return the conflict between the values of an attribute that has one value, or None if there is none.

    ``general(broad, narrow)`` says whether one value is a less specific form of another. ``subjects`` are the ids of
    the entities that the statements are about, if the user asked for a name.

    The first kind that fits is returned:

    - *entity*: the values belong to two entities of one name.
    - *granularity*: each value is a less specific form of the most specific one, so there is no contradiction.
    - *time*: no two values have the same circumstances, and each has some.
    - *value*: everything else.

    The order of sides and of sources does not matter.
    """
    merged: dict[str, list[Side]] = {}
    for side in sides:
        merged.setdefault(fold(side.value), []).append(side)
    if len(merged) < 2:
        return None
    united = [_merge_sides(group) for group in merged.values()]
    ranked = tuple(sorted(united, key=lambda s: (-round(s.weight, 9), -len(s.sources), fold(s.value), s.value)))
    return Conflict(_kind(ranked, general, subjects), ranked)


def _merge_sides(group: Sequence[Side]) -> Side:
    sources = sorted({s for side in group for s in side.sources})
    when, things = (frozenset().union(*(getattr(s, name) for s in group)) for name in ("when", "things"))
    return Side(min(s.value for s in group), tuple(sources), when, things, max(s.weight for s in group))


def _kind(sides: Sequence[Side], general: Callable[[str, str], bool], subjects: Collection[int]) -> ConflictKind:
    """Return the kind of a conflict between the sides."""
    own = [s.things for s in sides]
    if len(set(subjects)) > 1 and all(own) and not any(a & b for n, a in enumerate(own) for b in own[n + 1 :]):
        return "entity"
    if most_specific([s.value for s in sides], general):
        return "granularity"
    times = [s.when for s in sides]
    if all(times) and not any(a & b for n, a in enumerate(times) for b in times[n + 1 :]):
        return "time"
    return "value"


def conflict_sentence(conflict: Conflict) -> str:
    """Return a conflict as a sentence that begins with its kind."""
    sides, more = conflict.sides[:MOST], len(conflict.sides) - MOST
    rest = f"; and {more} more values" if more > 0 else ""
    if conflict.kind == "time":
        parts = [f"{s.value} ({_times(s.when)}; {_who(s)})" for s in sides]
        return f"Different at different times: {'; '.join(parts)}{rest}."
    parts = [f"{_who(s)} {'says' if len(s.sources) == 1 else 'say'} {s.value}" for s in sides]
    begin = {
        "value": "Sources disagree",
        "entity": "Two things of one name",
        "granularity": "Sources agree, some say less",
    }[conflict.kind]
    return f"{begin}: {'; '.join(parts)}{rest}."


def _times(when: Collection[str]) -> str:
    more = f" and {len(when) - MOST_SHOWN} more" if len(when) > MOST_SHOWN else ""
    return ", ".join(sorted(when)[-MOST_SHOWN:][::-1]) + more


def _who(side: Side) -> str:
    names = side.sources[:MOST_SHOWN]
    if len(side.sources) > MOST_SHOWN:
        return f"{', '.join(names)} and {len(side.sources) - MOST_SHOWN} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "nobody"


def most_specific(values: Sequence[str], general: Callable[[str, str], bool]) -> list[int]:
    """Return the indices of the most specific values, of which every other value is a less specific form."""
    return [n for n, value in enumerate(values) if all(other == value or general(other, value) for other in values)]


def is_less_specific(broad: str, narrow: str, containers: Mapping[str, Collection[str]] | None = None) -> bool:
    """Return True if ``broad`` is less specific than ``narrow``.

    It is so if it is the beginning of a date, the first words of a name, or a place that contains the other.
    """
    listed = "," in narrow or _is_date(narrow)
    if not listed and not containers:  # most values, at once
        return False
    a, b = _words(broad), _words(narrow)
    if not a or not b or a == b:
        return False
    if listed and len(a) < len(b) and b[: len(a)] == a:
        return True
    return containers is not None and " ".join(a) in containers.get(" ".join(b), ())


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text, cached because the same values are compared many times."""
    return tuple(fold(text).split())


def _is_date(text: str) -> bool:
    parts = text.split("-")
    return 2 <= len(parts) <= 3 and all(p.isdigit() for p in parts) and len(parts[0]) == 4

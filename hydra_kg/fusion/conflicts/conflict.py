"""Kinds of conflict (value, time, entity, granularity), places that contain others, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from hydra_kg.domain import Entity, Predicates
from hydra_kg.fusion.gathering.store_claims import ClaimStatement, align_attributes
from hydra_kg.ports import Snapshot
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import is_literal
from hydra_kg.util.fast_dataclass import dataclass

ConflictKind = Literal["value", "time", "entity", "granularity"]

MOST_SHOWN = 3
"""Largest number of sources, and of times, that are named for one value."""

SHOWN = 6
"""Largest number of values that a sentence lists."""

WITHIN: Final = frozenset(
    "containedby|contained by|country|located in the administrative territorial entity|part of|state|"
    "state province region|located in".split("|")
)
"""Folded wordings of predicates that lead from a place to one that contains it."""

LEVELS: Final = 3
"""Number of steps upwards: a district of a town, its county, its country."""

MOST: Final = 200
"""Largest number of places whose containers are looked up at a level."""

HUB: Final = 10_000
"""Number of facts from which a place counts as a country or larger; its containers are not read."""

Holders = Mapping[str, frozenset[str]]
"""Folded names of the places that contain a value, by the value's folded name.

A value with several names counts as contained in its other names.
"""


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
    sides, more = conflict.sides[:SHOWN], len(conflict.sides) - SHOWN
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


def find_contested_values(stated: Sequence[ClaimStatement]) -> list[int]:
    """Return the entities stated as values in groups with several values, ascending."""
    groups: dict[tuple[str, str], set[int]] = {}
    for s in stated:
        groups.setdefault((s.key, s.attribute), set()).add(s.value.id)
    literals = {s.value.id for s in stated if is_literal(s.value.key)}
    return sorted({v for own in groups.values() if len(own) > 1 for v in own} - literals)


def leading_to_holders(predicates: Predicates) -> list[int]:
    """Return the indices, in ``predicates``, of those that lead from a place to one that contains it."""
    return list(_leading_to_holders(align_attributes(predicates)))


@lru_cache(maxsize=4)
def _leading_to_holders(names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(p for p, name in enumerate(names) if fold(name) in WITHIN)


def holders(snapshot: Snapshot, values: Sequence[int]) -> Holders:
    """Return the names of the places that contain some values, and the other names of the values.

    The store is read once for each of ``LEVELS``.
    """
    if not values:
        return {}
    above: dict[int, set[int]] = {v: {v} for v in values[:MOST]}
    known: dict[int, Entity] = {}
    wanted = leading_to_holders(snapshot.predicates())
    fresh = sorted(above)
    parents: dict[int, set[int]] = {}
    for _ in range(LEVELS):
        known |= {e.node.id: e for e in snapshot.entities(fresh)}
        fresh = [n for n in fresh if known[n].degree <= HUB]
        graph = snapshot.cut(fresh, depth=1)
        own = np.isin(graph.ids[graph.src], np.array(fresh, np.int64)) & np.isin(graph.pred, wanted)
        for a, b in zip(graph.ids[graph.src[own]].tolist(), graph.ids[graph.dst[own]].tolist(), strict=True):
            parents.setdefault(a, set()).add(b)
        fresh = sorted({b for a in fresh for b in parents.get(a, ())} - set(known))[:MOST]
        if not fresh:
            break
    for lines in above.values():
        for _ in range(LEVELS):
            lines |= {b for a in lines for b in parents.get(a, ())}
    known |= {e.node.id: e for e in snapshot.entities(sorted({n for own in above.values() for n in own} - set(known)))}
    names = {n: frozenset(map(fold, (e.node.name, *e.aliases))) for n, e in known.items()}
    found: dict[str, frozenset[str]] = {}
    for value, lines in above.items():
        around = frozenset().union(*(names[n] for n in lines))
        for name in names[value]:
            found[name] = found.get(name, frozenset()) | around - {name}
    return found

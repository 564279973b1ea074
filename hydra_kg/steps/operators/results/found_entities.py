"""Results of operators: entities as a column, the hops that led to each, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan.model import Step
from hydra_kg.steps.operators.results.literal_intervals import Span
from hydra_kg.text.literals import literal_kind, literal_text
from hydra_kg.util.fast_dataclass import dataclass, replace

Flags = npt.NDArray[np.bool_]


class Trail(Protocol):
    """Protocol for the provenance of a set: the hops by which its members were reached."""

    def legs(self, node: int) -> tuple[Leg, ...]:
        """Return the hops that lead to a class from what the question names; () if it was not reached this way."""

    def mediators(self, node: int) -> tuple[int, ...]:
        """Return the mediators of the last hop to a class."""


@dataclass(frozen=True, slots=True, eq=False)
class Hopped:
    """Hops as columns by ``end``: ``start``, ``end``, ``via`` (-1: none), ``code``, handles of two facts (−1: none)."""

    start: Ids
    code: Ids
    via: Ids
    end: Ids
    segment: tuple[Index, Index]
    row: tuple[Ids, Ids]
    best: tuple[int, ...]
    before: tuple[Trail, ...] = ()

    def legs(self, node: int) -> tuple[Leg, ...]:
        """Return the hops of :class:`Trail`; of several things before, the first leads here."""
        mine = self._rows(node)
        if not len(mine):
            return ()
        start = int(self.start[mine].min())
        mine = mine[self.start[mine] == start]
        rank = {code: i for i, code in enumerate(self.best)}
        code = min(self.code[mine].tolist(), key=lambda c: rank.get(c, len(rank)))
        through = self.via[mine[self.code[mine] == code]]
        via = int(through.max())
        mine = mine[(self.via[mine] == via) | (self.via[mine] < 0)]
        leg = Leg(start, code, node, via=via, handles=self._handles(mine))
        return (*first_legs(self.before, start), leg)

    def stating(self, start: int, end: int) -> Leg:
        """Return the hop from one thing to another, with all facts that state it."""
        rows = np.flatnonzero((self.start == start) & (self.end == end))
        one = int(rows[0])
        return Leg(start, int(self.code[one]), end, via=int(self.via[one]), handles=self._handles(rows))

    def mediators(self, node: int) -> tuple[int, ...]:
        """Return the mediators of :class:`Trail`."""
        via = self.via[self._rows(node)]
        return tuple(np.unique(via[via >= 0]).tolist())

    def _handles(self, rows: Ids) -> tuple[tuple[int, int], ...]:
        pairs = [(s[rows], r[rows]) for s, r in zip(self.segment, self.row, strict=True)]
        return tuple(sorted({(a, b) for s, r in pairs for a, b in zip(s.tolist(), r.tolist(), strict=True) if a >= 0}))

    def _rows(self, node: int) -> Ids:
        a, b = np.searchsorted(self.end, [node, node + 1])
        return np.arange(a, b)


@dataclass(frozen=True, slots=True)
class StatedValue:
    """An entity's value: its interval, literal and hop. ``when`` is its time or "", ``rivals`` are other values.

    ``undated``: the unlike numbers without a date that one source lists, of which this is one.
    """

    span: Span
    literal: str
    leg: Leg
    when: str = ""
    rivals: tuple[Span, ...] = ()
    undated: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Valued:
    """Provenance of a selection: the attribute value by which each member was chosen."""

    values: Mapping[int, StatedValue]

    def legs(self, node: int) -> tuple[Leg, ...]:
        """Return the hops of :class:`Trail`."""
        stated = self.values.get(node)
        return (stated.leg,) if stated is not None else ()

    def mediators(self, node: int) -> tuple[int, ...]:
        """Return nothing: there are no mediators."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Provenance of a choice by numbers of things: the hops that were counted for each member."""

    hops: Hopped
    ends: Mapping[int, frozenset[int]]

    def legs(self, node: int) -> tuple[Leg, ...]:
        """Return nothing, because what was counted does not lead to the thing that has the most."""
        return ()

    def mediators(self, node: int) -> tuple[int, ...]:
        """Return nothing: there are no mediators."""
        return ()

    def counted(self, node: int, most: int) -> tuple[Leg, ...]:
        """Return the hops from a member to the things that were counted for it."""
        return tuple(self.hops.stating(node, end) for end in sorted(self.ends.get(node, ()))[:most])


@dataclass(frozen=True, slots=True)
class Surety:
    """The lowest certainty of the choices behind a result; each number is in [0, 1].

    Args:
        relevance: Relevance of the chosen relation to the phrase.
        lead: How far it is ahead of the next one.
        kinds: Share of the things that are of the asked kind.
        coverage: Share of the things that have a value.
    """

    relevance: float = 1.0
    lead: float = 1.0
    kinds: float = 1.0
    coverage: float = 1.0

    def worst(self, other: Surety) -> Surety:
        """Return the lesser of the two certainties."""
        return Surety(
            min(self.relevance, other.relevance),
            min(self.lead, other.lead),
            min(self.kinds, other.kinds),
            min(self.coverage, other.coverage),
        )


SURE: Final = Surety()
"""Nothing was chosen: the name of the question itself."""


@dataclass(frozen=True, slots=True, eq=False)
class ThingSet:
    """Entities (class ids, int64, ascending) with the hops that led to them.

    ``score`` is the evidence for the choices made. ``words`` describes the set to people. ``open`` is True if some
    members may not be stated.
    """

    ids: Ids
    trails: tuple[Trail, ...] = ()
    score: float = 0.0
    words: str = ""
    steps: tuple[Step, ...] = ()
    unmet: tuple[str, ...] = ()
    surety: Surety = SURE
    reason: str = ""
    codes: tuple[int, ...] = ()
    """Hop codes of the last relation, the best one first."""
    decided: bool = False
    """Whether a value decided who stays, so that nobody may be an answer."""
    computation: str = ""
    """What was computed, with the numbers it was computed from."""
    compared: tuple[int, ...] = ()
    """Things that were compared, whose values are evidence too."""
    open: bool = False
    unknown: tuple[int, ...] = ()
    """Class ids of things left out because a value that decides is not stated of them, or sources differ."""
    sought: int = 0
    """How many things were looked through for that value."""
    lacks: str = ""
    """The value in words ("date of birth"); "" where not to have it says something too: who lives has not died."""
    doubt: tuple[str, ...] = ()
    """What may be otherwise, though the plan was carried out as asked, in words."""

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, keep: Flags, **changes: object) -> ThingSet:
        """Return the things of a mask, with some fields changed."""
        return replace(self, ids=self.ids[keep], **changes)  # type: ignore[arg-type]

    def legs(self, node: int) -> tuple[Leg, ...]:
        """Return all hops that lead to a class, each once."""
        return tuple(dict.fromkeys(leg for trail in self.trails for leg in trail.legs(node)))


def first_legs(trails: Sequence[Trail], node: int) -> tuple[Leg, ...]:
    """Return the hops of all trails to a class, each once."""
    return tuple(dict.fromkeys(leg for trail in trails for leg in trail.legs(node)))


_BELONGS: Final = 0.5
"""Members that a set lacks if things without a value are like the others, from which it is in doubt."""


def may_belong(found: ThingSet) -> tuple[str, ...]:
    """Return how many things lack a deciding value if one probably belongs: 2 of 4 people, not 3 of 28 films."""
    unknown, known = len(found.unknown), found.sought - len(found.unknown)
    likely = unknown * (len(found) + 0.5) / (max(known, 0) + 1)
    if not found.lacks or likely < _BELONGS:
        return ()
    return (f"{unknown} of {found.sought} without a stated {found.lacks}",)


SHOWN = 5


def step_of(operator: str, text: str, before: int, after: int, *, unknown: int = 0, what: str = "date") -> Step:
    """Return one step: what was looked for, and how many there are."""
    missing = f" ({unknown} of {before} without a stated {what})" if unknown else ""
    return Step(operator, f"{text}: {after}{missing}", before, after, unknown)


def amount(literal: str) -> str:
    """Return a value for people: ``1,233``, ``1953-07-27``."""
    text = literal_text(literal)
    if literal_kind(literal) != "date":
        try:
            value = float(text)
        except ValueError:
            return text
        return f"{value:,.0f}" if value == int(value) and abs(value) >= 1000 else f"{value:g}"
    return text


def listed(parts: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else ""
    return ", ".join(parts[:SHOWN]) + more


def number(value: float) -> str:
    """Return a number as an answer, without decimals if it is whole."""
    return f"{value:.0f}" if value == int(value) else f"{value:g}"

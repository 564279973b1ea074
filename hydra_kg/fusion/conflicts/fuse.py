"""Fusion of a store's statements: believed values with their probability, sources for and against, reliabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice

import numpy as np

from hydra_kg.fusion.conflicts.conflict import (
    Conflict,
    Holders,
    Side,
    conflict_of,
    is_less_specific,
    is_list,
    most_specific,
)
from hydra_kg.fusion.dependence.copy_detection import CopyDetector, copying_from, merge_copies
from hydra_kg.fusion.gathering.store_claims import Circumstances, ClaimStatement, rows_of, split_group_key
from hydra_kg.fusion.model.beliefs import Beliefs, Copying, Flags, Method, Reals, Slots, believed, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.normalisation.claim_values import ClaimReading, Row, read_claims
from hydra_kg.fusion.truth_discovery.vote import Vote
from hydra_kg.text.folding import fold
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """Candidate value of a group: its most frequent spelling, its probability, whether it is believed, and its sources.

    Where sources differ, the probability is the mean of the method's probability and the share of independent sources
    that state the value (a linear pool). A model that was learned from these very claims is too sure of them. Which
    value is believed is still the method's choice.
    """

    text: str
    probability: float
    believed: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """All claims on one attribute of one entity, fused: its values, believed ones first, and the conflict, if any."""

    entity: int
    attribute: str
    when: Circumstances
    values: tuple[JudgedValue, ...]
    conflict: Conflict | None

    @property
    def answer(self) -> tuple[JudgedValue, ...]:
        """The values that are believed."""
        return tuple(v for v in self.values if v.believed)


@dataclass(frozen=True, eq=False)
class Fused:
    """Claims with a method's beliefs.

    ``holders`` names the places that contain a value, which makes them less specific whatever their wording.
    """

    reading: ClaimReading
    beliefs: Beliefs
    accepted: Flags
    method: str
    holders: Holders = field(default_factory=dict)

    @property
    def reliability(self) -> Mapping[str, tuple[float, int]]:
        """Reliability and number of claims of each source, the most reliable first."""
        claims = self.reading.claims
        count = np.bincount(claims.source, minlength=len(claims.sources))
        rows = zip(claims.sources, self.beliefs.reliability.tolist(), count.tolist(), strict=True)
        return {name: (r, n) for name, r, n in sorted(rows, key=lambda row: (-round(row[1], 9), row[0]))}

    def copies(self) -> list[tuple[str, ...]]:
        """Return groups of sources that hardly ever differ, even in mistakes, and so are not independent."""
        names = self.reading.claims.sources
        return sorted(tuple(sorted(names[s] for s in g)) for g in self.copying.groups)

    @cached_property
    def copying(self) -> Copying:
        """The groups that :attr:`copies` lists, as numbers."""
        known = self.beliefs.copying
        return CopyDetector().find(self.reading.claims) if known is None else known

    @cached_property
    def confidence(self) -> Reals:
        """The probability that is shown for each value (V,), see :class:`JudgedValue`."""
        claims = self.reading.claims
        share = Vote().judge(merge_copies(claims, self.copying)).probability
        believed = self.beliefs.probability
        return np.where((self.slots.size > 1)[self.slots.group], (believed + share) / 2, believed)

    @cached_property
    def slots(self) -> Slots:
        """The value slots of the claims."""
        return slots_of(self.reading.claims)

    def groups(self) -> Iterator[Group]:
        """Return all groups, in the order of the claims."""
        return map(self.group, check_between(range(len(self.reading.claims.keys)), every=100))

    def group(self, number: int) -> Group:
        """Return the group with this number."""
        claims = self.reading.claims
        key, attribute = claims.keys[number]
        texts, first = claims.texts[number], int(self.slots.first[number])
        who: list[list[str]] = [[] for _ in texts]
        rows = slice(int(claims.starts[number]), int(claims.starts[number + 1]))
        for value, source in zip(claims.value[rows].tolist(), claims.source[rows].tolist(), strict=True):
            who[value].append(claims.sources[source])
        values = [
            JudgedValue(text, probability, accepted, tuple(sorted(set(names))))
            for text, probability, accepted, names in zip(
                texts,
                self._shown(first, len(texts)),
                self.accepted[first : first + len(texts)].tolist(),
                who,
                strict=True,
            )
        ]
        values.sort(key=lambda v: (not v.believed, -v.probability, -len(v.sources), v.text))
        entity, when = split_group_key(key)
        conflict = None if self._several(number) else _conflict(values, self.holders)
        return Group(entity, attribute, when, tuple(values), conflict)

    def conflicts(self) -> Counter[str]:
        """Count the groups of each kind of conflict, without making the groups."""
        kinds: Counter[str] = Counter()
        general, folded = partial(is_less_specific, containers=self.holders), lru_cache(maxsize=1 << 18)(fold)
        for number in self._contested():
            apart: dict[str, str] = {}
            for text in sorted(self.reading.claims.texts[number]):
                apart.setdefault(folded(text), text)
            if len(apart) > 1:
                kinds["granularity" if most_specific(list(apart.values()), general) else "value"] += 1
        return kinds

    def hardest(self, most: int) -> list[Group]:
        """Return the ``most`` groups in conflict whose two best values are closest.

        Of equals, groups with more statements come first, then earlier groups.
        """
        claims, first = self.reading.claims, self.slots.first

        def margin(number: int) -> tuple[float, int, int]:
            low, high = int(first[number]), int(first[number + 1])
            accepted, shown = self.accepted[low:high].tolist(), self._shown(low, high - low)
            best, second = sorted(zip(accepted, shown, strict=True), reverse=True)[:2]
            return best[1] - second[1], -int(claims.starts[number + 1] - claims.starts[number]), number

        ordered = (self.group(number) for _, _, number in sorted(map(margin, self._contested())))
        return list(islice((g for g in ordered if g.conflict is not None and g.conflict.kind == "value"), most))

    def _contested(self) -> list[int]:
        """Return the groups with several values of which one is true."""
        return [n for n in np.flatnonzero(self.slots.size > 1).tolist() if not self._several(n)]

    def _several(self, number: int) -> bool:
        """Return True if all values of a group may be true: its attribute or one of its sources lists several."""
        claims = self.reading.claims
        rows = slice(int(claims.starts[number]), int(claims.starts[number + 1]))
        listed = len(claims.many) and claims.many[number]
        return bool(listed) or is_list(zip(claims.source[rows].tolist(), claims.value[rows].tolist(), strict=True))

    def _shown(self, first: int, count: int) -> list[float]:
        """Return the confidence of ``count`` slots from ``first``, rounded for display."""
        return [round(x, 6) for x in self.confidence[first : first + count].tolist()]


def fuse(
    stated: Iterable[ClaimStatement],
    method: Method,
    *,
    holders: Holders | None = None,
    representatives: Callable[[Sequence[Row]], Mapping[str, str]] = lambda _: {},
    lists: Collection[str] = (),
) -> Fused:
    """Judge all statements together, by the kinds of their values.

    ``representatives`` returns, for each source that is known to copy, the source that speaks for it. ``lists`` are
    attributes that may have several true values.
    """
    rows = list(rows_of(stated))
    reading = read_claims(rows, entity=lambda key: key)
    copying = copying_from(reading.claims.sources, representatives(rows))
    return judge_claims(reading, method, holders=holders, copying=copying, lists=lists)


def judge_claims(
    reading: ClaimReading,
    method: Method,
    *,
    holders: Holders | None = None,
    copying: Copying | None = None,
    lists: Collection[str] = (),
) -> Fused:
    """Return the beliefs about claims that were already read.

    ``copying`` are the groups of copies, if they are known. The other arguments are those of :func:`fuse`.
    """
    if lists:
        own = np.array([attribute in lists for _, attribute in reading.claims.keys], np.bool_)
        many = own | reading.claims.many if len(reading.claims.many) else own
        reading = replace(reading, claims=replace(reading.claims, many=many))
    beliefs = _judge_without_copies(method, reading.claims, copying) if copying else method.judge(reading.claims)
    around = holders or {}
    return Fused(reading, beliefs, accept_values(reading.claims, beliefs, around), method.name, around)


def _judge_without_copies(method: Method, claims: Claims, copying: Copying) -> Beliefs:
    """Return the beliefs of a method for which each group of copies is one source."""
    if not copying.groups:
        return method.judge(claims)
    found = method.judge(merge_copies(claims, copying))
    more = found.copying.cluster[copying.cluster] if found.copying is not None else copying.cluster
    return replace(found, reliability=found.reliability[copying.cluster], copying=Copying(more))


def accept_values(claims: Claims, beliefs: Beliefs, holders: Holders | None = None) -> Flags:
    """Return which values are believed (V,).

    If all values of a group are less specific forms of one value, that one is believed.
    """
    flags, slots = believed(claims, beliefs), slots_of(claims)
    general = partial(is_less_specific, containers=holders)
    single = ~claims.many if len(claims.many) else np.ones(len(slots.size), np.bool_)
    for g in np.flatnonzero((slots.size > 1) & single).tolist():
        texts = claims.texts[g]
        narrow = most_specific(texts, general)
        if len(narrow) == 1:
            low = int(slots.first[g])
            flags[low : low + len(texts)] = False
            flags[low + narrow[0]] = True
    return flags


def supporters(
    fused: Fused, stated: Sequence[ClaimStatement]
) -> Mapping[tuple[str, str, str], tuple[ClaimStatement, ...]]:
    """Return the statements behind each value, by (group key, attribute, text).

    The value of a list has the statements of all its texts.
    """
    claims, texts = fused.reading.claims, fused.reading.texts
    place: dict[tuple[str, str, str, str], list[ClaimStatement]] = {}
    for s in stated:
        place.setdefault((s.key, s.attribute, s.fact.source.name, s.value.name), []).append(s)
    found: dict[tuple[str, str, str], dict[int, ClaimStatement]] = {}
    for group, source, value, text in zip(
        *(c.tolist() for c in (claims.group, claims.source, claims.value, fused.reading.original)), strict=True
    ):
        key, attribute = claims.keys[group]
        own = found.setdefault((key, attribute, claims.texts[group][value]), {})
        for s in place.get((key, attribute, claims.sources[source], texts[text]), ()):
            own[s.fact.id] = s
    return {key: tuple(own.values()) for key, own in found.items()}


def across(groups: Sequence[Group]) -> list[tuple[str, Conflict]]:
    """Return the conflicts between groups of one attribute, over times or over entities of one name."""
    found: list[tuple[str, Conflict]] = []
    entities = {g.entity for g in groups}
    for attribute in sorted({g.attribute for g in groups}):
        own = [g for g in groups if g.attribute == attribute]
        for entity in sorted({g.entity for g in own}):
            one = [g for g in own if g.entity == entity and g.when]
            found += [(attribute, c)] if (c := conflict_of(_sides(one))) is not None and c.kind == "time" else []
        if len(entities) > 1 and (c := conflict_of(_sides(own), subjects=entities)) is not None and c.kind == "entity":
            found.append((attribute, c))
    return found


def _sides(groups: Sequence[Group]) -> list[Side]:
    sides = []
    for g in groups:
        for v in g.answer:
            when = frozenset({" ".join(text for _, text in g.when)} - {""})
            sides.append(Side(v.text, v.sources, when, frozenset({g.entity}), v.probability))
    return sides


def _conflict(values: Sequence[JudgedValue], holders: Holders) -> Conflict | None:
    sides = [Side(v.text, v.sources, weight=v.probability + v.believed) for v in values]
    return conflict_of(sides, general=partial(is_less_specific, containers=holders))

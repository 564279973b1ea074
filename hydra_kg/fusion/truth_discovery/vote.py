"""Votes: simple, weighted by reliability, and with general values that support their specific forms."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.model.beliefs import (
    Beliefs,
    Flags,
    Ints,
    Reals,
    Slots,
    believed,
    best_of,
    broader_slots,
    mean_by_source,
    membership,
    slots_of,
)
from hydra_kg.fusion.model.claims import Claims, Codes
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Vote:
    """Majority vote: the share of a group's statements that name a value.

    The reliability of a source is the mean share of its values.
    """

    name: str = "vote"

    def judge(self, claims: Claims) -> Beliefs:
        """Return the share of the sources of each group that state each value."""
        slots = slots_of(claims)
        share = _shares(claims, slots, np.ones(len(claims)))
        return Beliefs(share, mean_by_source(claims, share[slots.of]))


@dataclass(frozen=True, slots=True)
class WeightedVote:
    """Two-round vote: a source's weight is how often it agreed with the first majority (smoothed, +1 of +2)."""

    name: str = "weighted"

    def judge(self, claims: Claims) -> Beliefs:
        """Measure how often each source agrees with the majority, then vote with these weights."""
        slots = slots_of(claims)
        won = believed(claims, Beliefs(_shares(claims, slots, np.ones(len(claims))), np.zeros(0)))
        reliability = mean_by_source(claims, won[slots.of].astype(np.float64), strength=2.0)
        return Beliefs(_shares(claims, slots, reliability[claims.source]), reliability)


@dataclass(frozen=True, slots=True)
class HierarchyVote:
    """Majority vote in which a general value also supports its specific forms: "California" supports "Los Angeles"."""

    name: str = "hierarchy"

    def judge(self, claims: Claims) -> Beliefs:
        """Return shares in which each value has the votes of its less specific forms. Ties go to the specific value."""
        slots = slots_of(claims)
        votes = np.bincount(slots.of, minlength=len(slots)).astype(np.float64)
        narrow, broad = broader_slots(claims, slots)
        share = np.bincount(narrow, votes[broad], len(slots)) + votes
        share /= np.maximum(_speakers(claims, slots, np.ones(len(claims)))[slots.group], 1e-12)
        return Beliefs(np.minimum(share, 1.0), mean_by_source(claims, share[slots.of]))


@dataclass(frozen=True, slots=True)
class BackedVote:
    """Noisy-or vote: a value is false only if all sources that state it err, each at its own rate.

    A source errs if others make claims and none of them states any of its values; its rate is e. Its vote counts −ln e,
    so that the votes of a value add up to −ln of the product of the rates (a noisy or). That share of the votes is
    multiplied by the chance that one of the sources is backed in the value, relative to that of the best value. A value
    of rarely backed sources is thus believed less, and the values of other sources do not suffer for it. What a source
    states outside of its list (``Claims.outside_list``) is not counted.
    """

    name: str = "backed"

    def judge(self, claims: Claims) -> Beliefs:
        """Return the beliefs; a source's reliability is how often others state one of its values."""
        slots, n = slots_of(claims), len(claims.sources)
        speakers = membership(claims)
        checked = np.bincount(speakers.group, minlength=len(slots.size))[speakers.group] > 1
        backed = np.bincount(slots.of, minlength=len(slots))[slots.of] > 1
        met = np.bincount(speakers.of, backed, len(speakers.group)) > 0
        right = _smooth_share(speakers.source, met, checked, n)
        counted = ~claims.outside_list if len(claims.outside_list) else np.ones(len(claims), np.bool_)
        alone = np.log(1 - _smooth_share(claims.source, backed, checked[speakers.of] & counted, n))[claims.source]
        share = _shares(claims, slots, -np.log(1 - right)[claims.source], counted)
        backing = share * (1 - np.exp(np.bincount(slots.of, alone * counted, len(slots))))
        scale = best_of(slots, share) / np.maximum(best_of(slots, backing), 1e-12)
        return Beliefs(backing * scale[slots.group], right)


def _smooth_share(source: Ints | Codes, hits: Flags, of: Flags, n: int) -> Reals:
    """Return the share of hits of each source (n,), among those that count (+1 of +2)."""
    return np.asarray((np.bincount(source, hits & of, n) + 1) / (np.bincount(source, of, n) + 2), np.float64)


def _shares(claims: Claims, slots: Slots, weights: Reals, counted: Flags | None = None) -> Reals:
    votes = np.bincount(slots.of, weights if counted is None else weights * counted, len(slots))
    return votes / np.maximum(_speakers(claims, slots, weights)[slots.group], 1e-12)


def _speakers(claims: Claims, slots: Slots, weights: Reals) -> Reals:
    """Return the weight of all sources of each group, each counted once (G,)."""
    pair = claims.group.astype(np.int64) * len(claims.sources) + claims.source
    _, at = np.unique(pair, return_index=True) if len(claims.many) and claims.many.any() else (0, np.arange(len(pair)))
    total = np.bincount(claims.group[at], weights[at], len(slots.size))
    return np.asarray(total, np.float64)

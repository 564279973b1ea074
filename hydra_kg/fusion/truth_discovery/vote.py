"""Votes: one source one voice, voices by reliability, and a vote that knows that general values contradict nothing."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Vote:
    """Majority vote: the share of a group's statements that name a value. Reliability: mean of what a source says."""

    name: str = "vote"

    def judge(self, claims: Claims) -> Beliefs:
        """Shares over the sources of each group, as they are counted one by one."""
        slots = slots_of(claims)
        share = _shares(claims, slots, np.ones(len(claims)))
        return Beliefs(share, mean_by_source(claims, share[slots.of]))


@dataclass(frozen=True, slots=True)
class WeightedVote:
    """Two-round vote: each source is weighted by how often it agreed with the first majority (smoothed, +1 of +2)."""

    name: str = "weighted"

    def judge(self, claims: Claims) -> Beliefs:
        """Two passes: who agrees with the majority, then the vote by that share."""
        slots = slots_of(claims)
        won = believed(claims, Beliefs(_shares(claims, slots, np.ones(len(claims))), np.zeros(0)))
        reliability = mean_by_source(claims, won[slots.of].astype(np.float64), strength=2.0)
        return Beliefs(_shares(claims, slots, reliability[claims.source]), reliability)


@dataclass(frozen=True, slots=True)
class HierarchyVote:
    """Majority vote in which a general value also supports its more specific forms: "California" for "Los Angeles"."""

    name: str = "hierarchy"

    def judge(self, claims: Claims) -> Beliefs:
        """Shares after each value got the voices of all its less specific forms. Ties go to the specific value."""
        slots = slots_of(claims)
        votes = np.bincount(slots.of, minlength=len(slots)).astype(np.float64)
        narrow, broad = broader_slots(claims, slots)
        share = np.bincount(narrow, votes[broad], len(slots)) + votes
        share /= np.maximum(_speakers(claims, slots, np.ones(len(claims)))[slots.group], 1e-12)
        return Beliefs(np.minimum(share, 1.0), mean_by_source(claims, share[slots.of]))


@dataclass(frozen=True, slots=True)
class BackedVote:
    """Noisy-or vote: a value is false only if all sources that state it err, each at its own rate.

    A source errs where others speak and none of them says any of what it says, at rate e; its voice counts −ln e, so
    that the voices of a value add up to −ln of the product of the rates (a noisy or). That share of the voices is
    multiplied by the chance that one of those who state the value is backed in it, against that of the best value: what
    only a seldom backed source says is believed less, and nobody else's values suffer for it. What a source states
    beside its list (``Claims.outside_list``) is not heard.
    """

    name: str = "backed"

    def judge(self, claims: Claims) -> Beliefs:
        """Reliability: how often others say something of what a source says."""
        slots, n = slots_of(claims), len(claims.sources)
        speakers = membership(claims)
        checked = np.bincount(speakers.group, minlength=len(slots.size))[speakers.group] > 1
        backed = np.bincount(slots.of, minlength=len(slots))[slots.of] > 1
        met = np.bincount(speakers.of, backed, len(speakers.group)) > 0
        right = _smoothed(speakers.source, met, checked, n)
        counted = ~claims.outside_list if len(claims.outside_list) else np.ones(len(claims), np.bool_)
        alone = np.log(1 - _smoothed(claims.source, backed, checked[speakers.of] & counted, n))[claims.source]
        share = _shares(claims, slots, -np.log(1 - right)[claims.source], counted)
        backing = share * (1 - np.exp(np.bincount(slots.of, alone * counted, len(slots))))
        scale = best_of(slots, share) / np.maximum(best_of(slots, backing), 1e-12)
        return Beliefs(backing * scale[slots.group], right)


def _smoothed(source: Ints | Codes, hits: Flags, of: Flags, n: int) -> Reals:
    """(n,): share of hits by source, of those that count (+1 of +2)."""
    return np.asarray((np.bincount(source, hits & of, n) + 1) / (np.bincount(source, of, n) + 2), np.float64)


def _shares(claims: Claims, slots: Slots, weights: Reals, counted: Flags | None = None) -> Reals:
    votes = np.bincount(slots.of, weights if counted is None else weights * counted, len(slots))
    return votes / np.maximum(_speakers(claims, slots, weights)[slots.group], 1e-12)


def _speakers(claims: Claims, slots: Slots, weights: Reals) -> Reals:
    """(G,): the weight of all sources of a group, each once."""
    pair = claims.group.astype(np.int64) * len(claims.sources) + claims.source
    _, at = np.unique(pair, return_index=True) if len(claims.many) and claims.many.any() else (0, np.arange(len(pair)))
    total = np.bincount(claims.group[at], weights[at], len(slots.size))
    return np.asarray(total, np.float64)

"""ACCU (Dong et al. 2009) and two-sided EM: accuracies of sources and distributions over values, by EM."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.model.beliefs import (
    Beliefs,
    Membership,
    Reals,
    Slots,
    mean_by_source,
    membership,
    normalise_logs,
    slots_of,
    sum_weights,
)
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Accu:
    """One-coin Dawid and Skene with n equally likely false values (``falsehoods``).

    A source with accuracy A votes with weight ln(n·A/(1 − A)). The probability P(v) is e^C(v), normalised over n + 1
    values. The accuracy is A = mean P over the source's claims, with ``strength`` further claims of accuracy ``start``.
    """

    start: float = 0.8
    falsehoods: int = 100
    strength: float = 2.0
    tolerance: float = 1e-4
    rounds: int = 50
    name: str = "accu"

    def judge(self, claims: Claims) -> Beliefs:
        """Estimate accuracies and probabilities in turns, from the same accuracy for all sources.

        The rounds end when no accuracy changes by ``tolerance``.
        """
        slots = slots_of(claims)
        others = np.maximum(self.falsehoods + 1 - slots.size, 0)
        spare = np.where(others > 0, np.log(np.maximum(others, 1)), -1e9)
        accuracy = np.full(len(claims.sources), self.start)
        probability = np.zeros(len(slots))
        for _ in range(self.rounds):
            probability = normalise_logs(
                slots, sum_weights(slots.of, self._vote_weight(accuracy)[claims.source], len(slots)), spare=spare
            )
            before = accuracy
            accuracy = mean_by_source(claims, probability[slots.of], prior=self.start, strength=self.strength)
            if np.abs(accuracy - before).max(initial=0) < self.tolerance:
                break
        return Beliefs(probability, accuracy)

    def _vote_weight(self, accuracy: Reals) -> Reals:
        bounded = np.clip(accuracy, 0.01, 0.99)
        return np.asarray(np.log(self.falsehoods * bounded / (1 - bounded)))


@dataclass(frozen=True, slots=True)
class TwoSided:
    """Two-coin Dawid and Skene 1979.

    Each source has a sensitivity for true values and a rate for false ones in its groups. Both are smoothed by
    ``strength`` values at the rates of all sources. The rounds start from the vote; ``prior`` is estimated.
    """

    strength: float = 10.0
    tolerance: float = 1e-4
    rounds: int = 50
    name: str = "two-sided"

    def judge(self, claims: Claims) -> Beliefs:
        """Return the probability of each value by itself, which need not sum to 1 in a group.

        The reliability is q·(1 − e).
        """
        slots, pairs = slots_of(claims), membership(claims)
        votes = np.bincount(slots.of, minlength=len(slots))
        speakers = np.bincount(pairs.group, minlength=len(slots.size))
        truth = votes / np.maximum(speakers[slots.group], 1)
        rates = self._rates(claims, slots, pairs, truth)
        for _ in range(self.rounds):
            before = truth
            truth = _posterior(
                claims, slots, pairs, rates, float(np.clip(truth.mean(), 0.05, 0.95)) if len(truth) else 0.5
            )
            rates = self._rates(claims, slots, pairs, truth)
            if np.abs(truth - before).max(initial=0) < self.tolerance:
                break
        return Beliefs(truth, rates[0] * (1 - rates[1]))

    def _rates(self, claims: Claims, slots: Slots, pairs: Membership, truth: Reals) -> tuple[Reals, Reals]:
        """Return the sensitivity and the false-alarm rate of each source, (S,) and (S,)."""
        n = len(claims.sources)
        found = []
        for side in (truth, 1 - truth):
            group_total = np.bincount(slots.group, side, len(slots.size))
            seen = np.bincount(pairs.source, group_total[pairs.group], n)
            stated_weight = np.bincount(claims.source, side[slots.of], n)
            pooled = float(np.clip(stated_weight.sum() / max(seen.sum(), 1e-9), 0.01, 0.99))
            found.append(np.clip((stated_weight + self.strength * pooled) / (seen + self.strength), 0.001, 0.999))
        return found[0], found[1]


def _posterior(claims: Claims, slots: Slots, pairs: Membership, rates: tuple[Reals, Reals], prior: float) -> Reals:
    sensitivity, alarms = rates
    silent = np.log1p(-sensitivity) - np.log1p(-alarms)
    stated = np.log(sensitivity) - np.log(alarms) - silent
    odds = np.log(prior / (1 - prior)) + np.bincount(pairs.group, silent[pairs.source], len(slots.size))[slots.group]
    odds = odds + np.bincount(slots.of, stated[claims.source], len(slots))
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))

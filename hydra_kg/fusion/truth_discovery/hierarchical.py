"""Truth discovery in a hierarchy: a source is exact, less specific, or wrong, each at its own rate, by EM."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.model.beliefs import Beliefs, Ints, Reals, Slots, broader_slots, normalise_logs, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Three rates for each source as in Jung, Kim and Shim 2019 (TDH): φ = (exact, less specific, wrong).

    Let the truth t have k less specific forms among the group's values. A source states t with probability φ1 (φ1 + φ2
    if k is 0), each less specific form with φ2/k, and each of m wrong values with φ3/m. Here m counts the group's other
    values and ``falsehoods`` values that nobody claims. Rates are smoothed by ``strength`` claims at the rates of all
    sources together, and these by one claim at ``start``. All values of a group are equally likely beforehand. Without
    a hierarchy this is ACCU with few false values.
    """

    start: tuple[float, float, float] = (0.6, 0.2, 0.2)
    falsehoods: float = 1.0
    strength: float = 5.0
    tolerance: float = 1e-4
    rounds: int = 100
    name: str = "tdh"

    def judge(self, claims: Claims) -> Beliefs:
        """Return probabilities that sum to 1 in a group, and the reliability φ1 + φ2 of each source."""
        slots = slots_of(claims)
        case = _Case.of(claims, slots, self.falsehoods)
        pooled = np.array(self.start)
        rates = np.tile(pooled, (len(claims.sources), 1))
        truth = np.zeros(len(slots))
        for _ in range(self.rounds):
            before, truth = truth, case.posterior(rates)
            counts = case.counts(rates, truth)
            pooled = (counts.sum(0) + np.array(self.start)) / (counts.sum() + 1)
            rates = (counts + self.strength * pooled) / (counts.sum(1, keepdims=True) + self.strength)
            if np.abs(truth - before).max(initial=0) < self.tolerance:
                break
        return Beliefs(truth, rates[:, 0] + rates[:, 1])


@dataclass(frozen=True, slots=True)
class _Case:
    """Parts that do not change between rounds: pairs of a possible truth and a claim that it makes right."""

    claims: Claims
    slots: Slots
    truth: Ints  # (E,) slot of a possible truth that has less specific forms
    source: Ints  # (E,) who states such a form
    forms: Reals  # (V,) k
    wrong: Reals  # (V,) m

    @staticmethod
    def of(claims: Claims, slots: Slots, falsehoods: float) -> _Case:
        narrow, broad = broader_slots(claims, slots)
        forms = np.bincount(narrow, minlength=len(slots)).astype(np.float64)
        order = np.argsort(slots.of, kind="stable")
        starts = np.searchsorted(slots.of[order], np.arange(len(slots) + 1))
        length = starts[broad + 1] - starts[broad]
        at = np.repeat(starts[broad] - np.concatenate(([0], np.cumsum(length)[:-1])), length) + np.arange(length.sum())
        source = claims.source[order[at]].astype(np.int64)
        wrong = np.maximum(slots.size[slots.group] - forms - 1, 0) + falsehoods
        return _Case(claims, slots, np.repeat(narrow, length), source, forms, wrong)

    def posterior(self, rates: Reals) -> Reals:
        """Return the probability that each value is the truth (V,), given the rates (S, 3)."""
        logs = np.log(np.maximum(rates, 1e-6))
        either = np.log(np.maximum(rates[:, 0] + rates[:, 1], 1e-6))
        n_claims = np.diff(self.claims.starts)
        blamed = np.bincount(self.claims.group, logs[self.claims.source, 2], len(self.slots.size))
        less = np.log(np.maximum(self.wrong, 1e-6))
        odds = blamed[self.slots.group] - n_claims[self.slots.group] * less
        right = np.where(self.forms[self.slots.of] > 0, logs[self.claims.source, 0], either[self.claims.source])
        right = right - logs[self.claims.source, 2] + less[self.slots.of]
        odds = odds + np.bincount(self.slots.of, right, len(self.slots))
        if len(self.truth):
            vague = logs[self.source, 1] - logs[self.source, 2] - np.log(self.forms[self.truth]) + less[self.truth]
            odds = odds + np.bincount(self.truth, vague, len(self.slots))
        return normalise_logs(self.slots, odds)

    def counts(self, rates: Reals, truth: Reals) -> Reals:
        """Return how often each source was exact, less specific or wrong (S, 3)."""
        n = len(rates)
        hit = truth[self.slots.of]
        source = self.claims.source
        split = rates[source, 0] / np.maximum(rates[source, 0] + rates[source, 1], 1e-9)
        exact = np.where(self.forms[self.slots.of] > 0, 1.0, split) * hit
        vague = np.bincount(source, hit - exact, n) + np.bincount(self.source, truth[self.truth], n)
        found = np.column_stack((np.bincount(source, exact, n), vague, np.zeros(n)))
        found[:, 2] = np.maximum(np.bincount(source, minlength=n) - found.sum(1), 0)
        return found

"""ACCU: accuracies of sources and a distribution over the values of each group, by EM (Dong et al. 2009)."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.model.beliefs import Beliefs, Reals, mean_by_source, normalise_logs, slots_of, sum_weights
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

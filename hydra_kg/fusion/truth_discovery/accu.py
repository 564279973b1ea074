"""ACCU: accuracies of sources and a distribution over the values of each group, by EM (Dong et al. 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hydra_kg.fusion.model.beliefs import Beliefs, Reals, mean_by_source, normalised, slots_of, tally
from hydra_kg.fusion.model.claims import Claims


@dataclass(frozen=True, slots=True)
class Accu:
    """One-coin Dawid and Skene with n equally likely false values (``falsehoods``): accuracy A votes ln(n·A/(1 − A));
    P(v) = e^C(v) over n + 1 values; A = mean P, drawn to ``start`` as by ``strength`` claims.
    """

    start: float = 0.8
    falsehoods: int = 100
    strength: float = 2.0
    tolerance: float = 1e-4
    rounds: int = 50
    name: str = "accu"

    def judge(self, claims: Claims) -> Beliefs:
        """Starts with the same accuracy for all; ends when none moves by ``tolerance``."""
        slots = slots_of(claims)
        others = np.maximum(self.falsehoods + 1 - slots.size, 0)
        spare = np.where(others > 0, np.log(np.maximum(others, 1)), -1e9)
        accuracy = np.full(len(claims.sources), self.start)
        probability = np.zeros(len(slots))
        for _ in range(self.rounds):
            probability = normalised(
                slots, tally(slots.of, self._vote_weight(accuracy)[claims.source], len(slots)), spare=spare
            )
            before = accuracy
            accuracy = mean_by_source(claims, probability[slots.of], prior=self.start, strength=self.strength)
            if np.abs(accuracy - before).max(initial=0) < self.tolerance:
                break
        return Beliefs(probability, accuracy)

    def _vote_weight(self, accuracy: Reals) -> Reals:
        bounded = np.clip(accuracy, 0.01, 0.99)
        return np.asarray(np.log(self.falsehoods * bounded / (1 - bounded)))

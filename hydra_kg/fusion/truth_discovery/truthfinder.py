"""TruthFinder: trust of sources and confidence of values, each from the other (Yin, Han and Yu 2008)."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.model.beliefs import Beliefs, broader_slots, mean_by_source, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TruthFinder:
    """TruthFinder (§4), in which a value implies its less specific forms and nothing else.

    - τ(w) = −ln(1 − t(w)) for a source w with trust t(w).
    - σ(f) = Σ τ over the sources of a value f.
    - σ*(f) adds ``implied`` · σ of the values that imply f.
    - The confidence of f is s(f) = 1/(1 + e^(−γσ*)).
    - t(w) is the mean s of what w states.

    Trust starts at t = .9, and the rounds end when no trust changes by ``tolerance``. γ = .3 and implied = .5 as in the
    paper.
    """

    start: float = 0.9
    gamma: float = 0.3
    implied: float = 0.5
    tolerance: float = 1e-4
    rounds: int = 50
    name: str = "truthfinder"

    def judge(self, claims: Claims) -> Beliefs:
        """Return the beliefs; the confidences are no distribution, and several values of a group may be near 1."""
        slots = slots_of(claims)
        narrow, broad = broader_slots(claims, slots)
        trust = np.full(len(claims.sources), self.start)
        confidence = np.zeros(len(slots))
        for _ in range(self.rounds):
            tau = -np.log(np.maximum(1 - trust, 1e-9))
            score = np.bincount(slots.of, tau[claims.source], len(slots))
            if len(narrow):
                score = score + self.implied * np.bincount(broad, score[narrow], len(slots))
            confidence = 1 / (1 + np.exp(-self.gamma * score))
            before, trust = trust, mean_by_source(claims, confidence[slots.of], prior=self.start)
            if np.abs(trust - before).max(initial=0) < self.tolerance:
                break
        return Beliefs(confidence, trust)

"""TruthFinder: trust of sources and confidence of values, each from the other (Yin, Han and Yu 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hydra_kg.fusion.model.beliefs import Beliefs, broader_slots, mean_by_source, slots_of
from hydra_kg.fusion.model.claims import Claims


@dataclass(frozen=True, slots=True)
class TruthFinder:
    """τ(w) = −ln(1 − t(w)); σ(f) = Σ τ of its sources; σ*(f) adds ``implied`` · σ of values that imply f; confidence
    s(f) = 1/(1 + e^(−γσ*)); t(w) = mean s of what w says. Starts at t = .9, ends when no trust moves by ``tolerance``.

    A value implies its less specific forms, and nothing else; γ = .3 and implied = .5 as in the paper (§4).
    """

    start: float = 0.9
    gamma: float = 0.3
    implied: float = 0.5
    tolerance: float = 1e-4
    rounds: int = 50
    name: str = "truthfinder"

    def judge(self, claims: Claims) -> Beliefs:
        """Confidence of values is no distribution: several values of a group may be near 1."""
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

"""Fusion at query time: each query judges its own groups with what earlier queries taught about the sources."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.fusion.model.beliefs import Beliefs, Reals, mean_by_source, normalise_logs, slots_of, sum_weights
from hydra_kg.fusion.model.claims import Claims, part_of
from hydra_kg.util.fast_dataclass import dataclass

_START: Final = 0.8  # accuracy of a source of which nothing is known
_STRENGTH: Final = 2.0  # claims that this counts for


class SourceLedger:
    """Running counts of right claims (expected) and of all claims of each source."""

    def __init__(self, sources: int) -> None:
        self.total = np.full(sources, _STRENGTH)
        self.right = _START * self.total

    @property
    def accuracy(self) -> Reals:
        """The accuracy of each source (S,), in (0, 1)."""
        return np.asarray(np.clip(self.right / self.total, 0.01, 0.99))


@dataclass(frozen=True, slots=True)
class QueryTime:
    """Fusion in the manner of FusionQuery (Zhu et al. 2023): a few EM rounds over the fetched claims only.

    ``answer`` judges the claims of one query. For ``rounds`` rounds it judges values by the accuracy of sources (as
    ACCU) and accuracies by the values, then adds the counts of the query to the ledger. ``judge`` treats ``batch``
    groups as one query, so that the method can be compared with those that see everything at once.
    """

    rounds: int = 3
    batch: int = 64
    falsehoods: int = 100
    name: str = "query-time"

    def answer(self, claims: Claims, ledger: SourceLedger) -> Beliefs:
        """Return the beliefs on the groups of one query, and update the ledger from them."""
        slots = slots_of(claims)
        others = np.maximum(self.falsehoods + 1 - slots.size, 0)
        spare = np.where(others > 0, np.log(np.maximum(others, 1)), -1e9)
        claim_count = np.bincount(claims.source, minlength=len(claims.sources))
        accuracy, probability, right = ledger.accuracy, np.zeros(len(slots)), np.zeros(len(claims.sources))
        for _ in range(self.rounds):
            vote_weight = np.log(self.falsehoods * accuracy / (1 - accuracy))
            probability = normalise_logs(
                slots, sum_weights(slots.of, vote_weight[claims.source], len(slots)), spare=spare
            )
            right = sum_weights(claims.source, probability[slots.of], len(claims.sources))
            accuracy = np.clip((ledger.right + right) / (ledger.total + claim_count), 0.01, 0.99)
        ledger.right, ledger.total = ledger.right + right, ledger.total + claim_count
        return Beliefs(probability, ledger.accuracy)

    def judge(self, claims: Claims) -> Beliefs:
        """Return the beliefs on all groups, batch after batch, each judged with what was known before it."""
        ledger = SourceLedger(len(claims.sources))
        slots = slots_of(claims)
        probability = np.zeros(len(slots))
        groups = np.arange(len(claims.keys))
        size = max(self.batch, len(groups) // 256)
        for begin in range(0, len(groups), size):
            part = (groups >= begin) & (groups < begin + size)
            probability[slots.first[begin] : slots.first[min(begin + size, len(groups))]] = self.answer(
                part_of(claims, part), ledger
            ).probability
        return Beliefs(probability, mean_by_source(claims, probability[slots.of]))

"""The default method: copies are merged, one true value is found by grading, several by a generous vote."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.dependence.copy_detection import CopyDetector, merge_copies
from hydra_kg.fusion.model.beliefs import Beliefs, Copying, mean_by_source, slots_of
from hydra_kg.fusion.model.claims import Claims, part_of
from hydra_kg.fusion.truth_discovery.graded import Graded, Prior
from hydra_kg.fusion.truth_discovery.vote import BackedVote
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Default:
    """Copy detection, then ``Graded`` for attributes with one true value and a vote for those with several.

    Where several values are true, a source's silence says little, because most sources list one author and stop. A
    value is therefore believed from ``share`` of the best value's probability, which counts voices and their backing
    (``BackedVote``). The share .2 was fitted: of .5, .3 and .2 it is the best for ``movies`` and, of .5 and .2, for
    ``books``, so that each set checks the other. The rest was also compared on scored queries (docs/research-log.md).

    ``copies`` switches copy detection off to show its effect. ``prior`` gives weights of the slots that are known from
    elsewhere, such as the confidence of the line graph's nodes; they multiply what the claims say.
    """

    share: float = 0.2
    copies: bool = True
    prior: Prior | None = None
    name: str = "default"

    def copying(self, claims: Claims) -> Copying:
        """Return the groups of copies, or each source alone if copy detection is off."""
        return CopyDetector().find(claims) if self.copies else Copying(np.arange(len(claims.sources)))

    def judge(self, claims: Claims) -> Beliefs:
        """Return the beliefs; the sources of one group of copies share one reliability."""
        copying = self.copying(claims)
        own = merge_copies(claims, copying)
        slots = slots_of(own)
        many = own.many if len(own.many) else np.zeros(len(own.keys), np.bool_)
        weights = self.prior(claims) if self.prior else np.ones(len(slots))
        probability = np.zeros(len(slots))
        for wanted, several in ((~many, False), (many, True)):
            if not wanted.any():
                continue
            at = wanted[slots.group]
            part = part_of(own, wanted)
            if several:
                probability[at] = BackedVote().judge(part).probability * weights[at]
            else:
                probability[at] = Graded(prior=lambda _, w=weights[at]: w).judge(part).probability  # type: ignore[misc]
        reliability = mean_by_source(
            own, probability[slots.of], prior=float(probability.mean()) if len(probability) else 0.5
        )
        found = copying if self.copies else None
        return Beliefs(np.clip(probability, 0, 1), reliability[copying.cluster], share=self.share, copying=found)

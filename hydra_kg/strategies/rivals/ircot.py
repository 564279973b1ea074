"""IRCoT (Trivedi et al., ACL 2023): a chain of thought whose every sentence is the query of the next search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hydra_kg.domain import Evidence, Exploration
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.rivals.searching import added, answered, outcome, parsed, round_of, searched

END: Final = "answer is"
"""Words of the sentence that ends a chain."""


@dataclass(frozen=True)
class IRCoT:
    """Search by the question; then in turns one sentence of reasoning over all that was found, and a search by that
    sentence; last, one call that reads what was collected.

    ``each``: sentences that a search adds, K · ``most``: that are kept in all · ``steps``: sentences of reasoning. At
    most ``steps`` + 1 calls. A paragraph of the paper is a sentence of a passage here. Not defined without a model.
    """

    name: str = "ircot"
    paper: str = "IRCoT (ACL 2023, arXiv:2212.10509)"
    steps: int = 8
    each: int = 4
    most: int = 15
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Search and reason in turns until the answer is said, then read."""
        analysis = parsed(context)
        found: list[Evidence] = []
        chain, query, rounds = list[str](), context.question, list[Exploration]()
        for number in range(1, self.steps + 1):
            new = searched(context, analysis, query, most=self.each, phase=f"step {number}", ranker="bm25")
            found = added(found, new, most=self.most)
            rounds.append(round_of(context, analysis, f"step {number}", number, found, new=len(new)))
            composed = context.agent.compose(analysis, "thought", found, notes=" ".join(chain))
            if not composed or composed[0] in chain:
                break
            chain.append(query := composed[0])
            if END in query.casefold():
                break
        return outcome(context, analysis, answered(context, analysis, found, refined=" ".join(chain)), rounds)

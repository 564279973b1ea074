"""IRCoT (Trivedi et al., ACL 2023): a chain of thought in which every sentence is the query of the next search."""

from __future__ import annotations

from typing import Final

from hydra_kg.domain import Evidence, Exploration
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.rivals.passage_search import (
    add_evidence,
    answer_from_evidence,
    outcome,
    parse_question,
    round_of,
    search_sentences,
)
from hydra_kg.util.fast_dataclass import dataclass

END: Final = "answer is"
"""Words that mark the last sentence of a chain."""


@dataclass(frozen=True)
class IRCoT:
    """Interleaved retrieval and chain of thought: searches and sentences of reasoning in turns.

    The first search is by the question. Then the model writes one sentence of reasoning over everything found so far,
    and that sentence is the next query. At the end one call reads what was collected.

    ``each`` is the number of sentences that a search adds (K), ``most`` the number that are kept in all, and ``steps``
    the number of sentences of reasoning. At most ``steps`` + 1 calls are made. A paragraph of the paper is a sentence
    of a passage here. The strategy is not defined without a model.
    """

    name: str = "ircot"
    paper: str = "IRCoT (ACL 2023, arXiv:2212.10509)"
    steps: int = 8
    each: int = 4
    most: int = 15
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Search and reason in turns until the reasoning states an answer, then read what was found."""
        analysis = parse_question(context)
        found: list[Evidence] = []
        chain, query, rounds = list[str](), context.question, list[Exploration]()
        for number in range(1, self.steps + 1):
            new = search_sentences(context, analysis, query, most=self.each, phase=f"step {number}", ranker="bm25")
            found = add_evidence(found, new, most=self.most)
            rounds.append(round_of(context, analysis, f"step {number}", number, found, new=len(new)))
            composed = context.agent.compose(analysis, "thought", found, notes=" ".join(chain))
            if not composed or composed[0] in chain:
                break
            chain.append(query := composed[0])
            if END in query.casefold():
                break
        return outcome(
            context, analysis, answer_from_evidence(context, analysis, found, refined=" ".join(chain)), rounds
        )

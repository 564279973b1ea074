"""RQ-RAG (Chan et al., 2024): queries are rewritten, decomposed or disambiguated; then one trajectory is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from hydra_kg.domain import Evidence, Exploration, Judgement
from hydra_kg.errors import UsageError
from hydra_kg.ports import Composed
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
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

WAYS: Final[tuple[Composed, ...]] = ("rewrite", "decompose", "disambiguate")
"""Ways to refine a query."""

Trajectory = tuple[Judgement, Sequence[Evidence]]


@dataclass(frozen=True)
class RQRag:
    """A tree of refined queries: each way to refine gives one trajectory, and one trajectory is chosen.

    A trajectory has ``depth`` rounds of queries, each followed by a search, and then an answer. The answer on which the
    trajectories agree is chosen.

    The paper trains a model for this; here a prompt asks for it, as the paper's own training data were written.
    ``selection`` is "ensemble", the answer with the most confidence over all trajectories, or "confidence", the answer
    of the surest trajectory. "ppl" needs the likelihoods of the trained model and is refused. ``each`` is the number of
    sentences that a query adds. At most 3 · (``depth`` + 1) calls are made. The strategy is not defined without a
    model.
    """

    name: str = "rq-rag"
    paper: str = "RQ-RAG (2024, arXiv:2404.00610), by prompts"
    depth: int = 2
    each: int = 3
    most: int = 15
    selection: Literal["ensemble", "confidence", "ppl"] = "ensemble"
    needs_model: bool = True

    def __post_init__(self) -> None:
        if self.selection == "ppl":
            raise UsageError(
                "selection=ppl compares likelihoods under the model that RQ-RAG trained, whose weights are not here.",
                remedy="Choose selection=ensemble or selection=confidence.",
            )

    def run(self, context: Context) -> Outcome:
        """Follow every trajectory, then choose one."""
        analysis = parse_question(context)
        rounds: list[Exploration] = []
        tried: list[Trajectory] = []
        for way in WAYS:
            found, queries = list[Evidence](), list[str]()
            for number in range(1, self.depth + 1):
                new = context.agent.compose(analysis, way, found, notes="; ".join(queries))
                new = tuple(q for q in new if q not in queries)[:3]
                for query in new:
                    more = search_sentences(context, analysis, query, most=self.each, phase=way)
                    found = add_evidence(found, more, most=self.most)
                queries += new
                rounds.append(round_of(context, analysis, f"{way} {number}", number, found, queries=len(new)))
                if not new:
                    break
            tried.append(answer_from_evidence(context, analysis, found))
        return outcome(context, analysis, self.chosen(tried), rounds)

    def chosen(self, tried: Sequence[Trajectory]) -> Trajectory:
        """Return the trajectory whose answer is given.

        A trajectory with an answer comes before one without; among equals the first is chosen.
        """
        votes: dict[frozenset[str], float] = {}
        for judgement, _ in tried:
            key = frozenset(fold(a) for a in judgement.answers)
            sure = judgement.confidence if judgement.sufficient and key else -1.0
            votes[key] = (
                max(votes.get(key, -1.0), sure) if self.selection == "confidence" else votes.get(key, 0.0) + sure
            )
        return max(
            tried, key=lambda t: (t[0].sufficient, votes[frozenset(fold(a) for a in t[0].answers)], t[0].confidence)
        )

"""MDQA, knowledge graph prompting (Wang et al., AAAI 2024): a model leads a walk from passage to passage."""

from __future__ import annotations

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


@dataclass(frozen=True)
class MDQA:
    """Knowledge graph prompting: walks over passages that start at a search and follow a model's expectation.

    The words of the question find the first passages. From each, the model writes what the next passage should say. The
    neighbours are passages about the entities that the last passage names, and those nearest to the model's text are
    visited.

    The paper trains the model that leads the walk; here a prompt does. The paper's graph of passages, linked by shared
    entities and words, is replaced by the store's search for names and words. ``width`` is the number of first
    passages, ``hops`` the number of passages after each, and ``each`` the number of neighbours that are kept. At most
    ``width`` · ``hops`` + 1 calls are made. The strategy is not defined without a model.
    """

    name: str = "mdqa"
    paper: str = "MDQA: knowledge graph prompting (AAAI 2024, arXiv:2308.11730), by prompts"
    width: int = 3
    hops: int = 2
    each: int = 2
    most: int = 20
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Find the first passages, walk from each, and answer in one call from everything visited."""
        analysis = parse_question(context)
        seeds = search_sentences(context, analysis, context.question, most=self.width, phase="seeds", ranker="bm25")
        rounds: list[Exploration] = [round_of(context, analysis, "seeds", 0, seeds)]
        visited = list(seeds)
        for number, seed in enumerate(seeds, 1):
            walk: list[Evidence] = [seed]
            for _ in range(self.hops):
                wanted = context.agent.compose(analysis, "evidence", walk)
                if not wanted:
                    break
                near = search_sentences(
                    context,
                    analysis,
                    wanted[0],
                    most=self.each,
                    phase=f"walk {number}",
                    names=f"{walk[-1].line} {wanted[0]}",
                )
                longer = add_evidence(walk, near, most=self.most)
                if len(longer) == len(walk):
                    break
                walk = longer
            visited = add_evidence(visited, walk, most=self.most)
            rounds.append(round_of(context, analysis, f"walk {number}", number, walk))
        return outcome(context, analysis, answer_from_evidence(context, analysis, visited), rounds)

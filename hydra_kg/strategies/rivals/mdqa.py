"""MDQA, knowledge graph prompting (Wang et al., AAAI 2024): a walk from passage to passage that a model leads."""

from __future__ import annotations

from dataclasses import dataclass

from hydra_kg.domain import Evidence, Exploration
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.rivals.searching import added, answered, outcome, parsed, round_of, searched


@dataclass(frozen=True)
class MDQA:
    """Seed passages by the words of the question; from each, the model writes what the next passage would say, and of
    the neighbours, the passages about the entities that the last one names, those nearest to it are visited.

    The paper trains the model that leads the walk; here a prompt does. Its graph of passages, joined by common
    entities and words, is what the store gives for a name and for words. ``width``: seeds · ``hops``: passages behind
    each · ``each``: neighbours that are kept. At most ``width`` · ``hops`` + 1 calls. Not defined without a model.
    """

    name: str = "mdqa"
    paper: str = "MDQA: knowledge graph prompting (AAAI 2024, arXiv:2308.11730), by prompts"
    width: int = 3
    hops: int = 2
    each: int = 2
    most: int = 20
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Seeds, walks, and one call that answers from all that was visited."""
        analysis = parsed(context)
        seeds = searched(context, analysis, context.question, most=self.width, phase="seeds", ranker="bm25")
        rounds: list[Exploration] = [round_of(context, analysis, "seeds", 0, seeds)]
        visited = list(seeds)
        for number, seed in enumerate(seeds, 1):
            walk: list[Evidence] = [seed]
            for _ in range(self.hops):
                wanted = context.agent.compose(analysis, "evidence", walk)
                if not wanted:
                    break
                near = searched(
                    context,
                    analysis,
                    wanted[0],
                    most=self.each,
                    phase=f"walk {number}",
                    names=f"{walk[-1].line} {wanted[0]}",
                )
                longer = added(walk, near, most=self.most)
                if len(longer) == len(walk):
                    break
                walk = longer
            visited = added(visited, walk, most=self.most)
            rounds.append(round_of(context, analysis, f"walk {number}", number, walk))
        return outcome(context, analysis, answered(context, analysis, visited), rounds)

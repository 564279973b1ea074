"""FiDeLiS (Sui et al., ACL Findings 2025): beam search that ends a path where the question can be deduced from it."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import UNSEARCHED, Evidence, Exploration
from hydra_kg.steps.answering.results import named
from hydra_kg.steps.answering.select_and_judge import conclude_evidence, explored
from hydra_kg.steps.beam.frontier import Branch, Frontier, PathWalk
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass

Step = tuple[PathWalk, Evidence]


@dataclass(frozen=True)
class Fidelis:
    """Deductive-verification beam search: paths grow by steps that vectors propose and the model selects.

    Path-RAG proposes the ``steps`` relations nearest to the question, with at most ``ends`` entities each. The model
    selects the ``width`` best longer paths, and judges each alone: a path from which the question can be deduced is
    complete, any other grows on. The complete paths give the answer, or the last ones if none is complete.

    The paper has the model plan first and write the question as a statement, which is what its judge checks. Here the
    question's analysis and the judge of sufficiency stand for these. At most (1 + ``width``) · ``depth`` + 1 calls are
    made. Without a model, rules and vectors judge.
    """

    name: str = "fidelis"
    paper: str = "FiDeLiS (ACL Findings 2025, arXiv:2405.13873)"
    width: int = 3
    depth: int = 3
    steps: int = 10
    ends: int = 5

    def run(self, context: Context) -> Outcome:
        """Grow paths, judge each alone, and answer from those that are complete."""
        mentions = mentions_of(context)
        analysis = context.agent.parse(context.question, mentions, d_max=self.depth)
        search = Frontier(context, analysis)
        beam = [PathWalk(t) for t in dict.fromkeys(analysis.topics)][: self.width]
        complete, last = list[Step](), list[Step]()
        rounds: list[Exploration] = []
        for number in range(1, (context.depth or min(self.depth, context.settings.retrieval.d_max)) + 1):
            phase = f"step {number}"
            with context.phase("explore"):
                walks = self._proposed(search, beam)
                found = search.evidence(walks, phase=phase, reason="proposed by vectors")
                picked = context.agent.select_paths(analysis, found, most=self.width, state=UNSEARCHED)
            if not picked:
                break
            last = [(walks[p.place], found[p.place]) for p in picked]
            done = [self._deduced(search, step) for step in last]
            complete += [step for step, ended in zip(last, done, strict=True) if ended]
            beam = [walk for (walk, _), ended in zip(last, done, strict=True) if not ended]
            counts = {"proposed": len(walks), "kept": len(last), "complete": len(complete)}
            rounds.append(explored(context, analysis, phase, number, counts, [e for _, e in last]))
            if not beam:
                break
        best = complete or last
        evidence = [e for _, e in best]
        with context.phase("judge"):
            state = search.placed(best[0][0].codes) if best else UNSEARCHED
            judgement = context.agent.answer(analysis, evidence, state=state)
        tried = conclude_evidence(context, analysis, evidence, judgement)
        return Outcome(mentions, analysis, tried.conclusion, tried.judgement, tuple(rounds))

    def _proposed(self, search: Frontier, beam: Sequence[PathWalk]) -> list[PathWalk]:
        """Return the longer paths of the relations nearest to the question."""
        branches = sorted((b for own in search.branches(beam) for b in own), key=lambda b: -b.relevance)
        return [w for b in branches[: self.steps] for w in search.walked(b, self._first(search.context, b))]

    def _first(self, context: Context, branch: Branch) -> list[int]:
        """Return the first entities of a relation that have names."""
        known = context.entities(branch.ends)
        return [n for n in branch.ends if named(known[n])][: self.ends]

    def _deduced(self, search: Frontier, step: Step) -> bool:
        """Return True if the question can be answered from this path alone."""
        walk, evidence = step
        with search.context.phase("judge"):
            state = search.placed(walk.codes)
            return search.context.agent.judge(search.analysis, [evidence], state=state).sufficient

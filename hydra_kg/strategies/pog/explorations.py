"""The three explorations of PoG (§4.2, Algorithm 1), each pruned (Algorithm 2), summarised and judged (§4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hydra_kg.domain import Analysis, Evidence, Exploration
from hydra_kg.steps.answering.candidates import Candidate, joined
from hydra_kg.steps.answering.conclude_evidence import Leading, alone, explored, settle
from hydra_kg.steps.answering.results import Attempt
from hydra_kg.steps.answering.select_and_judge import attempt
from hydra_kg.steps.beam.frontier import Frontier, Walk
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import initial, predicted
from hydra_kg.steps.exploration.gather import JOINT, PREDICTED, gather
from hydra_kg.strategies.pog.expansion import ends_of, expanded, heads_of, leading_of, walks_of
from hydra_kg.strategies.pog.pruning import Case, path_pruning

EXPANDED = "expanded"
"""Name of the third exploration."""


@dataclass(slots=True)
class Paths:
    """What PoG found so far in one question. ``analysis``: with the standing of the best path tried last."""

    context: Context
    analysis: Analysis
    case: Case
    w1: int
    w2: int
    explorations: list[Exploration] = field(default_factory=list)
    kept: list[Candidate] = field(default_factory=list)
    grown: list[Evidence] = field(default_factory=list)
    leading: Leading = alone

    def topics(self) -> Attempt | None:
        """Topic entity paths, from D_predict to D_max (lines 1–7)."""
        aim, tried = replace(initial(self.context, self.analysis), kinds=("kg",)), None
        if not self.analysis.topics:
            return None
        for depth in range(aim.depth, (self.context.depth or self.context.settings.d_max) + 1):
            found = gather(self.context, replace(aim, depth=depth))
            self.explorations.append(found.exploration)
            tried = self._try(found.analysis, found.candidates, aim.phase)
            if tried.judgement.sufficient:
                break
        return tried

    def supplement(self) -> Attempt | None:
        """Paths at D_max towards what the agent predicts, of each indicator W_max (lines 8–16); None without one."""
        pools: list[Sequence[Candidate]] = []
        if self.analysis.topics:
            for aim in predicted(self.context, self.analysis, [c.evidence for c in self.kept]):
                found = gather(self.context, replace(aim, kinds=("kg",)))
                self.explorations.append(found.exploration)
                pools.append(found.candidates[: self.context.settings.w_max])
        return self._try(self.analysis, joined(pools, most=self.w1), PREDICTED) if pools else None

    def expand(self) -> Attempt | None:
        """One hop on, in 𝒢, from every entity of the paths kept that was not visited, up to D_max times (lines 17–26).

        A path is expanded at each entity of it: what lies behind that entity is another path's. What was judged before
        is judged again only in the end.
        """
        context, search, tried = self.context, Frontier(self.context, self.analysis), None
        chosen = [self.kept[p] for p in self._pruned(self.analysis, [c.evidence for c in self.kept])]
        walks, visited = walks_of(chosen) or [Walk(t) for t in dict.fromkeys(self.analysis.topics)], set[int]()
        for depth in range(1, (context.depth or context.settings.d_max) + 1):
            heads = heads_of(walks, visited)
            branches, found = expanded(search, heads, phase=EXPANDED, most=self.w2)
            counts = {"entities": len(heads), "pool": len(found)}
            self.explorations.append(explored(context, self.analysis, EXPANDED, depth, counts, found))
            if not found:
                break
            places = self._pruned(self.analysis, found)
            evidence, kept = [found[p] for p in places], [branches[p] for p in places]
            self.analysis = search.placed(kept[0].codes)
            self.grown += evidence
            self.leading = search.leading(branches, found, phase=EXPANDED, other=self.leading)
            tried = settle(context, self.analysis, evidence, clues=self._summary(evidence), leading=self.leading)
            if tried.judgement.sufficient:
                break
            walks = ends_of(search, kept, most=context.settings.w_max)
        return tried

    def all(self) -> Attempt:
        """All paths together, pruned once more; the agent may add what it knows (lines 27–29)."""
        evidence = [*(c.evidence for c in joined([self.kept], most=self.w1)), *self.grown]
        evidence.sort(key=lambda e: -e.scores.cross)
        chosen = [evidence[p] for p in self._pruned(self.analysis, evidence)]
        leading = leading_of(self.context, self.kept, self.leading, phase=JOINT)
        return settle(self.context, self.analysis, chosen, last=True, clues=self._summary(chosen), leading=leading)

    def _try(self, analysis: Analysis, pool: Sequence[Candidate], phase: str) -> Attempt:
        """Algorithm 2, then QuestionAnswering."""
        self.analysis = analysis
        evidence = [c.evidence for c in pool]
        picked = path_pruning(self.context, analysis, evidence, case=self.case, w1=self.w1, w2=self.w2, d_max=self._d)
        self.kept += [pool[p.place] for p in picked]
        return attempt(self.context, analysis, pool, phase=phase, more=True, selected=picked)

    def _pruned(self, analysis: Analysis, found: Sequence[Evidence]) -> list[int]:
        picked = path_pruning(self.context, analysis, found, case=self.case, w1=self.w1, w2=self.w2, d_max=self._d)
        return [p.place for p in picked]

    def _summary(self, evidence: Sequence[Evidence]) -> str:
        wanted = self.context.settings.refine == "call" and bool(evidence)
        return self.context.agent.refine(self.analysis, evidence) if wanted else ""

    @property
    def _d(self) -> int:
        return self.context.settings.d_max

"""The three explorations of PoG (§4.2, Algorithm 1), each pruned (Algorithm 2), summarised and judged (§4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, Node, Path, Picked, SearchState
from hydra_kg.steps.answering.candidates import Leading, PathCandidate, RelationCandidate, TextCandidate, alone, joined
from hydra_kg.steps.answering.conclude import paths_to
from hydra_kg.steps.answering.results import Attempt, named
from hydra_kg.steps.answering.select_and_judge import attempt, explored, judge_evidence
from hydra_kg.steps.beam.frontier import RELATION_ENTITIES, Branch, Frontier, PathWalk
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import initial, predicted
from hydra_kg.steps.exploration.gather import JOINT, PREDICTED, gather
from hydra_kg.strategies.pog.pruning import Case, path_pruning
from hydra_kg.util.fast_dataclass import dataclass, field, replace

EXPANDED = "expanded"
"""Name of the third exploration."""


@dataclass(slots=True)
class Paths:
    """Search state of PoG for one question. ``state`` is that of the search that was judged last."""

    context: Context
    analysis: Analysis
    case: Case
    w1: int
    w2: int
    explorations: list[Exploration] = field(default_factory=list)
    pool: list[PathCandidate] = field(default_factory=list)
    grown: list[Evidence] = field(default_factory=list)
    leading: Leading = alone
    state: SearchState = UNSEARCHED

    def topics(self) -> Attempt | None:
        """Explore the paths of the topic entities, from D_predict to D_max (lines 1–7)."""
        aim, tried = replace(initial(self.context, self.analysis), kinds=("kg",)), None
        if not self.analysis.topics:
            return None
        for depth in range(aim.depth, (self.context.depth or self.context.settings.retrieval.d_max) + 1):
            found = gather(self.context, replace(aim, depth=depth))
            self.explorations.append(found.exploration)
            tried = self._try(found.state, found.candidates, aim.phase)
            if tried.judgement.sufficient:
                break
        return tried

    def supplement(self) -> Attempt | None:
        """Explore paths at D_max towards what the agent predicts, W_max for each indicator (lines 8–16).

        The result is None without a predicted indicator.
        """
        pools: list[Sequence[PathCandidate]] = []
        if self.analysis.topics:
            for aim in predicted(self.context, self.analysis, [c.evidence for c in self.pool]):
                found = gather(self.context, replace(aim, kinds=("kg",)))
                self.explorations.append(found.exploration)
                pools.append(found.candidates[: self.context.settings.pruning.w_max])
        return self._try(self.state, joined(pools, most=self.w1), PREDICTED) if pools else None

    def expand(self) -> Attempt | None:
        """Follow one more hop in 𝒢 from unvisited entities of selected paths, up to D_max times (lines 17–26).

        The paths from before are judged again at the end.
        """
        context, search, tried = self.context, Frontier(self.context, self.analysis, self.state), None
        chosen = [self.pool[p] for p in self._pruned([c.evidence for c in self.pool])]
        walks, visited = walks_of(chosen) or [PathWalk(t) for t in dict.fromkeys(self.analysis.topics)], set[int]()
        for depth in range(1, (context.depth or context.settings.retrieval.d_max) + 1):
            heads = heads_of(walks, visited)
            branches, found = expand_heads(search, heads, phase=EXPANDED, most=self.w1)
            counts = {"entities": len(heads), "pool": len(found)}
            self.explorations.append(explored(context, self.analysis, EXPANDED, depth, counts, found))
            if not found:
                break
            places = self._pruned(found)
            evidence, chosen_branches = [found[p] for p in places], [branches[p] for p in places]
            self.state = search.placed(chosen_branches[0].codes)
            self.grown += evidence
            self.leading = search.leading(branches, found, phase=EXPANDED, other=self.leading)
            tried = self._settled(evidence, self.leading)
            if tried.judgement.sufficient:
                break
            walks = ends_of(search, chosen_branches, most=context.settings.pruning.w_max)
        return tried

    def all(self) -> Attempt:
        """Judge all paths together, pruned once more; the agent may add what it knows (lines 27–29)."""
        evidence = [*(c.evidence for c in joined([self.pool], most=self.w1)), *self.grown]
        evidence.sort(key=lambda e: -e.scores.cross)
        chosen = [evidence[p] for p in self._pruned(evidence)]
        leading = leading_of(self.context, self.pool, self.leading, phase=JOINT)
        return self._settled(chosen, leading, last=True)

    def _try(self, state: SearchState, pool: Sequence[PathCandidate], phase: str) -> Attempt:
        """Prune the paths by Algorithm 2, then attempt an answer (QuestionAnswering)."""
        self.state = state
        picked = self._picked([c.evidence for c in pool])
        self.pool += [pool[p.place] for p in picked]
        return attempt(self.context, self.analysis, pool, phase=phase, state=state, more=True, selected=picked)

    def _pruned(self, found: Sequence[Evidence]) -> list[int]:
        return [p.place for p in self._picked(found)]

    def _picked(self, found: Sequence[Evidence]) -> tuple[Picked, ...]:
        return path_pruning(
            self.context,
            self.analysis,
            found,
            case=self.case,
            w1=self.w1,
            w2=self.w2,
            d_max=self.context.settings.retrieval.d_max,
            state=self.state,
        )

    def _settled(self, evidence: Sequence[Evidence], leading: Leading, *, last: bool = False) -> Attempt:
        clues = self._summary(evidence)
        return judge_evidence(
            self.context, self.analysis, evidence, state=self.state, last=last, clues=clues, leading=leading
        )

    def _summary(self, evidence: Sequence[Evidence]) -> str:
        wanted = self.context.settings.agent.refine == "call" and bool(evidence)
        return self.context.agent.refine(self.analysis, evidence) if wanted else ""


def walks_of(candidates: Sequence[PathCandidate]) -> list[PathWalk]:
    """Return relation paths as walks.

    Paths that end in a literal and paths from text are left out, because they end outside of the graph.
    """
    found = []
    for c in candidates:
        if isinstance(c, RelationCandidate):
            relation = c.judged.relation
            path = Path(c.evidence.path.hops[: relation.hops])
            found.append(PathWalk(path.hops[-1].object.id, path, relation.codes))
    return found


def heads_of(walks: Sequence[PathWalk], visited: set[int]) -> list[PathWalk]:
    """Return one walk to each entity on the walks that was not visited yet, and mark these entities as visited."""
    found = []
    for walk in walks:
        ends = [walk.path.hops[0].subject.id if walk.path.hops else walk.end, *(h.object.id for h in walk.path.hops)]
        for length, end in enumerate(ends):
            if end not in visited:
                visited.add(end)
                found.append(PathWalk(end, Path(walk.path.hops[:length]), walk.codes[:length]))
    return found


def ends_of(search: Frontier, branches: Sequence[Branch], *, most: int) -> list[PathWalk]:
    """Return the walks of each branch to its first ``most`` named entities."""
    known = search.context.entities([n for b in branches for n in b.ends[:RELATION_ENTITIES]])
    ends = [[n for n in b.ends[:RELATION_ENTITIES] if named(known[n])][:most] for b in branches]
    return [w for b, nodes in zip(branches, ends, strict=True) for w in search.walked(b, nodes)]


def leading_of(context: Context, pool: Sequence[PathCandidate], other: Leading, *, phase: str) -> Leading:
    """Return the function that finds the path to each of some end nodes.

    For a candidate's path it follows the candidate, as a conclusion does. For any other evidence it calls ``other``.
    """
    candidate_of = {c.evidence.line: c for c in pool if not isinstance(c, TextCandidate) and c.evidence.line}

    def leading(evidence: Evidence, nodes: Sequence[Node]) -> Sequence[Evidence]:
        candidate = candidate_of.get(evidence.line)
        if candidate is None:
            return other(evidence, nodes)
        return paths_to(context, candidate, nodes, phase=phase)

    return leading


def expand_heads(
    search: Frontier, heads: Sequence[PathWalk], *, phase: str, most: int
) -> tuple[list[Branch], list[Evidence]]:
    """Return the ``most`` best branches of the heads (W_1) and the evidence of each, read from 𝒢 and not from G_q."""
    grown = [b for branches in search.branches(heads) for b in branches]
    grown.sort(key=lambda b: (-b.relevance, b.codes))
    branches, found = search.set_evidence(grown[:most], phase=phase)
    order = sorted(range(len(found)), key=lambda n: -found[n].scores.cross)  # by the vectors that pruning goes on with
    return [branches[n] for n in order], [found[n] for n in order]

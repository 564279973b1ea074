"""One hop at a time from a few entities: their relations, then what a relation leads to (ToG §2.2; ToG-2 Eq. 1, 4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Floats, Node, Path, SearchState
from hydra_kg.steps.answering.candidates import Leading, alone
from hydra_kg.steps.answering.results import has_name, named
from hydra_kg.steps.context import HUB_CAP, Context
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.relevance.clause_relevance import relevance_to
from hydra_kg.steps.relevance.path_relevance import Relevance, embeds_text, text_relevance, unit
from hydra_kg.steps.retrieval.path_instances import instances, materialise
from hydra_kg.steps.retrieval.path_search import explore
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.steps.verification.relation_competition import relation_competition
from hydra_kg.steps.verification.verify import back, origins, scores
from hydra_kg.util.fast_dataclass import dataclass, field, replace
from hydra_kg.util.recording import step

RELATION_ENTITIES: Final = 100
"""Entities of one relation that can become answers."""

SHOWN = 8
"""Names of a set that a model is shown."""


@dataclass(frozen=True, slots=True)
class PathWalk:
    """A partial path from a topic: its end (class id), path, hop codes and score (a product)."""

    end: int
    path: Path = field(default=Path(()))
    codes: tuple[int, ...] = ()
    score: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A walk and a relation of its end; ``relation.ends`` has all entities that the relation leads to.

    ``relevance`` is of walk and relation together, in [0, 1]. ``score`` is the agent's score times the walk's.
    """

    walk: PathWalk
    graph: HopGraph
    relation: RelationPath
    text: str
    relevance: float
    score: float = 0.0

    @property
    def codes(self) -> tuple[int, ...]:
        """Return the hop codes of the walk and the relation."""
        return (*self.walk.codes, *self.relation.codes)

    @property
    def ends(self) -> list[int]:
        """Return the class ids of the ends, ascending."""
        return [int(self.graph.ids[e]) for e in self.relation.ends.tolist()]


@dataclass(frozen=True, eq=False)
class Frontier:
    """The expansion for one question: relevance and order of truncation; walks end at entities only (ToG's code)."""

    context: Context
    analysis: Analysis
    state: SearchState = UNSEARCHED

    @cached_property
    def relevance(self) -> Relevance:
        """Return the relevance of relation paths to the analysis' indicator."""
        return relevance_to(self.context, self.analysis)

    @cached_property
    def rank(self) -> Floats:
        """Return the rank of each predicate for truncation, float32 (P,)."""
        return self.relevance.rank()

    @step("expand")
    def branches(self, walks: Sequence[PathWalk]) -> list[list[Branch]]:
        """Return at most W_1 relations of each walk's end, best first, from one cut, without repeated entities."""
        settings = self.context.settings
        ends = list(dict.fromkeys(w.end for w in walks))
        if not ends:
            return []
        cut = self.context.snapshot.cut(
            ends,
            depth=1,
            hops=settings.retrieval.hops,
            rank=self.rank,
            budget=settings.retrieval.edge_budget,
            hub_cap=HUB_CAP,
        )
        graph = HopGraph(
            cut.of_loads(self.context.segments()), predicates=self.context.space.base // 2, hops=settings.retrieval.hops
        )
        return [self._of(walk, graph) for walk in walks]

    def _of(self, walk: PathWalk, graph: HopGraph) -> list[Branch]:
        here = int(graph.local(np.array([walk.end], np.int64))[0])
        if here < 0:
            return []
        passed = graph.local(np.array([n.id for n in walk.path.entities] or [walk.end], np.int64))
        before = np.array([walk.codes], np.int64)

        def score(codes: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> Floats:
            return self.relevance(np.hstack([np.repeat(before, len(codes), axis=0), codes]))

        tree = explore(graph, here, depth=1, score=score, avoid=passed[passed >= 0])[0]
        found = []
        for k in np.lexsort((tree.codes[:, 0], -tree.score))[: self.context.settings.pruning.w1].tolist():
            rows = np.flatnonzero(tree.path == k)
            ends = np.unique(tree.ends[rows])
            ends = ends[np.argsort(graph.ids[ends], kind="stable")]
            relation = RelationPath(tree, k, float(tree.score[k]), rows, ends, ())
            text = self.context.space.text(int(tree.codes[k, 0]))
            found.append(Branch(walk, graph, relation, text, unit(relation.score, self.context.settings)))
        return found

    def walked(self, branch: Branch, nodes: Sequence[int], *, score: float = 0.0) -> list[PathWalk]:
        """Return the branch as walks to some of its entities (class ids), with the facts that state their last hop."""
        wanted = set(nodes)
        every = instances(branch.relation, most=len(branch.relation.ends))
        chosen = [i for i, end in zip(every, branch.ends, strict=True) if end in wanted]
        found = materialise(self.context, chosen, branch.graph)
        return [
            PathWalk(p.hops[-1].object.id, Path((*branch.walk.path.hops, *p.hops)), branch.codes, score) for p in found
        ]

    def evidence(self, walks: Sequence[PathWalk], *, phase: str, reason: str, kept: bool = True) -> list[Evidence]:
        """Return each walk as evidence for its end.

        Walks that are retained get every fact of other sources that says the same.
        """
        settings = self.context.settings
        paths = [w.path for w in walks]
        if kept:
            paths = back(self.context, paths, [w.codes for w in walks])
        if embeds_text(self.context):
            like = text_relevance(self.context, self.analysis.indicator, paths)
        else:
            like = [unit(float(self.relevance(np.array([w.codes], np.int64))[0]), settings) for w in walks]
        out = []
        for path, relevance in zip(paths, like, strict=True):
            own = origins(path, independence=settings.verification.independence)
            inside = {n.id for n in path.entities}
            numbers = scores(path, relevance, supporters=own, inside=inside, settings=settings)
            last = path.hops[-1].object
            ends = (last,) if has_name(last) else ()
            out.append(
                Evidence(path, numbers, phase, kept, reason, ends, tuple(sorted(own)), "", line_of(path, ids=False))
            )
        return out

    def set_evidence(self, branches: Sequence[Branch], *, phase: str) -> tuple[list[Branch], list[Evidence]]:
        """Return the branches that lead to named entities, each with one piece of evidence for all of these."""
        ends = [b.ends[:RELATION_ENTITIES] for b in branches]
        known = self.context.entities([e for some in ends for e in some])
        every = [tuple(known[e].node for e in some if named(known[e])) for some in ends]
        sets = [(b, nodes) for b, nodes in zip(branches, every, strict=True) if nodes]
        walks = [w for b, nodes in sets for w in self.walked(b, [nodes[0].id])]
        first = self.evidence(walks, phase=phase, reason="relation selected")
        pairs = zip(first, sets, strict=True)
        return [b for b, _ in sets], [replace(e, answers=n, line=line_of(e.path, n)) for e, (_, n) in pairs]

    def sets(self, branches: Sequence[Branch], *, phase: str) -> tuple[list[Evidence], Leading]:
        """Return branches as evidence for their sets, and a function that gives the path to one end of a set."""
        per_set, found = self.set_evidence(branches, phase=phase)
        return found, self.leading(per_set, found, phase=phase)

    def leading(
        self, branches: Sequence[Branch], found: Sequence[Evidence], *, phase: str, other: Leading = alone
    ) -> Leading:
        """Return a function that gives the paths of branches to some of their ends, by the evidence that each gave."""
        branch_of = {e.line: b for b, e in zip(branches, found, strict=True)}

        def lead(evidence: Evidence, nodes: Sequence[Node]) -> Sequence[Evidence]:
            branch = branch_of.get(evidence.line)
            if branch is None:
                return other(evidence, nodes)
            walks = self.walked(branch, [n.id for n in nodes])
            return self.evidence(walks, phase=phase, reason="leads to an answer")

        return lead

    def placed(self, codes: Sequence[int]) -> SearchState:
        """Return the state of the search, with the competition of the path of these codes."""
        score = float(self.relevance(np.array([codes], np.int64))[0])
        return replace(self.state, competition=relation_competition(self.relevance, codes, score))


def line_of(path: Path, ends: Sequence[Node] = (), *, ids: bool = True) -> str:
    """Return a path as a model sees it: ``{A} → relation → {B}``, its end perhaps a set.

    Without ``ids``, a node that has no name, such as a mediator, is ``{}``.
    """
    if not path.hops:
        return ""

    def said(node: Node) -> str:
        return node.name if ids or has_name(node) else ""

    names = [", ".join(n.name for n in ends[:SHOWN]) + (", …" if len(ends) > SHOWN else "")] if ends else []
    parts = [f"{{{said(path.hops[0].subject)}}}"]
    for i, hop in enumerate(path.hops):
        last = names[0] if names and i + 1 == len(path.hops) else said(hop.object)
        fork = f"; {{{said(hop.subject)}}}" if i and path.hops[i - 1].object.id != hop.subject.id else ""
        parts.append(f"{fork} → {hop.text} → {{{last}}}")
    return "".join(parts)

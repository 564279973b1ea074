"""Node-expand exploration of PoG (§4.2, Algorithm 1 lines 17–26): insufficient paths get one more hop of the graph."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import Evidence, Node, Path
from hydra_kg.steps.answering.candidates import Leading, PathCandidate, RelationCandidate, TextCandidate
from hydra_kg.steps.answering.conclude import paths_to
from hydra_kg.steps.answering.results import named
from hydra_kg.steps.beam.frontier import RELATION_ENTITIES, Branch, Frontier, PathWalk
from hydra_kg.steps.context import Context


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

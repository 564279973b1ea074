"""From ranked relation paths to answers: sources are united, the best paths vote, specific answers first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hydra_kg.domain import Floats, Path
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.hops import HopGraph
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath
from hydra_kg.steps.verification.support import origins
from hydra_kg.util.cancelling import looked_at

LIKE_PATH: Final = 0.5  # cosine of two paths of different sources from which they say the same
VOTES: Final = 25  # paths, best first, that vote on the order of answers
VOTE_SHARPNESS: Final = 60.0  # how fast a vote counts less: exp(sharpness · (score − best score)), 0 or more
SPECIFIC: Final = 20  # answers, best first, of which the more specific ones come first


KIND_OF: Final = "P279"
"""The predicate that says that one thing is a kind of another."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen relation paths, best first. ``members``: places · ``ends``: local nodes by votes."""

    members: tuple[int, ...]
    ends: tuple[tuple[int, float], ...]


def choose(judged: Sequence[JudgedPath], vectors: Floats, *, most: int = 20) -> Choice:
    """Choose the best path and other sources' best like paths (cosine ≥ ``like_path``, same topic, length,
    constraints), whose further ends are only mentioned (uniting cost 2.6 F1 on webqsp_train). Votes: Σ over ``votes``
    paths of exp(``vote_sharpness`` · (s − s_best)) / √ends.
    """
    if not judged:
        return Choice((), ())
    votes = _votes(judged)
    first = judged[0].relation
    members, seen = [0], set(_stated_by(judged[0]))
    for i in range(1, min(len(judged), 10)):
        other = judged[i].relation
        same = other.tree.topic == first.tree.topic and other.hops == first.hops and other.through == first.through
        others = _stated_by(judged[i])
        if same and not (others & seen) and float(vectors[i] @ vectors[0]) >= LIKE_PATH:
            members.append(i)
            seen |= others
    ranked = sorted(looked_at(first.ends.tolist()), key=lambda e: (-votes.get(e, 0.0), e))[:most]
    return Choice(tuple(members), tuple((e, votes.get(e, 0.0)) for e in ranked))


def specific_first(context: Context, choice: Choice, graph: HopGraph) -> Choice:
    """Return the choice with those answers last, of the best ones, that another one of them is a kind of."""
    most = SPECIFIC
    ends, rest = choice.ends[:most], choice.ends[most:]
    keys = context.snapshot.predicates().keys
    if len(ends) < 2 or KIND_OF not in keys:
        return choice
    ids = graph.ids[[e for e, _ in ends]]
    special, broad = np.nonzero(~np.eye(len(ids), dtype=np.bool_))
    links = context.snapshot.between(ids[special], ids[broad])
    wider = set(broad[links.pair[links.forward & (links.pred == keys.index(KIND_OF))]].tolist())
    places = sorted(range(len(ends)), key=lambda i: i in wider)
    return replace(choice, ends=(*(ends[i] for i in places), *rest))


def _stated_by(judged: JudgedPath) -> frozenset[str]:
    """Origins of the relation path itself, without the hops to other topics."""
    return origins(Path(judged.path.hops[: judged.relation.hops])) or judged.origins


def _votes(judged: Sequence[JudgedPath]) -> Mapping[int, float]:
    votes: dict[int, float] = {}
    best = judged[0].scores.cross
    for j in judged[:VOTES]:
        ends = j.relation.ends.tolist()
        weight = float(np.exp(VOTE_SHARPNESS * (j.scores.cross - best))) / max(len(ends), 1) ** 0.5
        for end in looked_at(ends):
            votes[end] = votes.get(end, 0.0) + weight
    return votes

"""Turn ranked relation paths into answers: sources are united, the best paths vote, specific answers come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Floats, Path
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath
from hydra_kg.steps.verification.verify import origins
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass, replace

LIKE_PATH: Final = 0.5  # cosine of two paths of different sources from which they say the same
VOTES: Final = 25  # paths, best first, that vote on the order of answers
VOTE_SHARPNESS: Final = 60.0  # how fast a vote counts less: exp(sharpness · (score − best score)), 0 or more
SPECIFIC: Final = 20  # answers, best first, of which the more specific ones come first
KIND_OF: Final = "P279"
"""The predicate that says that one thing is a kind of another."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen relation paths, best first: ``members`` are their places, ``ends`` the local nodes with their votes."""

    members: tuple[int, ...]
    ends: tuple[tuple[int, float], ...]


def choose(judged: Sequence[JudgedPath], vectors: Floats, *, most: int = 20) -> Choice:
    """Choose the best path and the paths of other sources that say the same, and rank the answers by votes.

    A path of another source joins the best one if the cosine of the two is at least ``LIKE_PATH`` and if they share
    topic, length and constraints. The further ends of such paths are only mentioned, because uniting the ends cost 2.6
    F1 on webqsp_train. An answer's votes are Σ exp(``VOTE_SHARPNESS`` · (s − s_best)) / √ends over the best ``VOTES``
    paths.

    Args:
        judged: The judged paths, best first.
        vectors: Unit vectors of the same paths, one row each.
        most: The largest number of answers to return.
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
    ranked = sorted(check_between(first.ends.tolist()), key=lambda e: (-votes.get(e, 0.0), e))[:most]
    return Choice(tuple(members), tuple((e, votes.get(e, 0.0)) for e in ranked))


def specific_first(context: Context, choice: Choice, graph: HopGraph) -> Choice:
    """Move those of the best answers to the end that another of them is a kind of."""
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
    """Return the origins of the relation path itself, without those of the hops to other topics."""
    return origins(Path(judged.path.hops[: judged.relation.hops])) or judged.origins


def _votes(judged: Sequence[JudgedPath]) -> Mapping[int, float]:
    votes: dict[int, float] = {}
    best = judged[0].scores.cross
    for j in judged[:VOTES]:
        ends = j.relation.ends.tolist()
        weight = float(np.exp(VOTE_SHARPNESS * (j.scores.cross - best))) / max(len(ends), 1) ** 0.5
        for end in check_between(ends):
            votes[end] = votes.get(end, 0.0) + weight
    return votes

"""Authority of nodes by a model, in measured sets (MultiRAG Eq. 10): one call for all statements about a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hydra_kg.evaluate.fusion.method_runs import QueryGroups
from hydra_kg.fusion.model.beliefs import Reals
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.multi_level_confidence import influence, nodes_of

Score = Callable[[str, Sequence[str]], Mapping[int, float]]
"""Function that returns scores in [0, 1] for the statements about a question, by index from 0.

The result is {} if no model can be asked any more.
"""

MOST: Final = 40
"""Largest number of statements in one call. A query with more is not asked."""

_VALUES: Final = 5


class ModelAuthority(NamedTuple):
    """Authority by a model: ``scores`` is C_LLM(v) of every node, float64 (M,).

    ``queries`` is the number of queries whose nodes the model scored.
    """

    scores: Reals
    queries: int


def score_authority_by_model(claims: Claims, queries: Sequence[QueryGroups], score: Score) -> ModelAuthority:
    """Return C_LLM(v) of the nodes that answer the queries, by the model; other nodes get ``influence``."""
    nodes = nodes_of(claims)
    found, count = influence(claims, nodes), 0
    said = np.bincount(nodes.source, minlength=len(claims.sources))
    for one in queries:
        places = [n for g in one.groups for n in range(int(nodes.first[g]), int(nodes.first[g + 1]))]
        if not 1 < len(places) <= MOST:
            continue
        lines = [
            _line(claims, nodes.starts, int(nodes.group[n]), int(nodes.source[n]), n, said, one.query.attribute)
            for n in places
        ]
        scores = score(f"{one.query.attribute} of {one.query.entity}", lines)
        if scores:
            count += 1
            found[places] = [scores.get(i, 0.0) for i in range(len(places))]
    return ModelAuthority(found, count)


def _line(
    claims: Claims,
    starts: npt.NDArray[np.int64],
    group: int,
    source: int,
    node: int,
    said: npt.NDArray[np.int64],
    asked: str,
) -> str:
    """Return a node as the model sees it: source, its number of statements, entity, attribute, values."""
    rows = range(int(starts[node]), int(starts[node + 1]))
    values = ", ".join(claims.texts[group][int(claims.value[r])] for r in rows[:_VALUES])
    entity, own = claims.keys[group]
    attribute = own or asked
    return f"{claims.sources[source]} (statements here: {int(said[source])}): {{{entity}}} → {attribute} → {{{values}}}"

"""Multi-level confidence computing (MultiRAG Algorithm 1): accepted nodes, rejected nodes and isolated points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.beliefs import Beliefs, Reals, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.multi_level_confidence import (
    ALPHA,
    BETA,
    HISTORY,
    UNKNOWN,
    Nodes,
    consistency,
    graph_confidence,
    historical,
    influence,
    logistic,
    node_confidence,
    nodes_of,
)
from hydra_kg.util.fast_dataclass import dataclass, field

THETA = 0.7
"""θ of Algorithm 1: the least C(v) of a node that is accepted (§IV.A)."""

GRAPH = 0.5
"""The C(G) that an accepted graph must exceed (§IV.A)."""

Record = tuple[float, float]
"""Credibility Pr^h of a source, and H, the number of entities on which it rests (Eq. 11)."""


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """Result of MultiRAG's Algorithm 1, as columns over nodes (M,), except for ``graph``.

    - ``confidence``: C(v).
    - ``consistent``: S_n.
    - ``graph`` (G,): C(G).
    - ``kept``: the nodes in SVs.
    - ``rejected``: the nodes with C(v) ≤ θ or in a graph below its threshold.
    - ``isolated``: the nodes without homologous data.
    - ``coarse``: the nodes that the graph level leaves, isolated points included.
    """

    nodes: Nodes
    confidence: Reals
    consistent: Reals
    graph: Reals
    kept: npt.NDArray[np.bool_]
    rejected: npt.NDArray[np.bool_]
    isolated: npt.NDArray[np.bool_]
    coarse: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Mcc:
    """Algorithm 1 as a fusion method: values of accepted nodes and of isolated points are believed.

    Algorithm 1 puts rejected nodes into LVs, together with the isolated points. Here they are two sets (``Computed``),
    because nothing speaks against an isolated point. If all nodes of a group are rejected, the best of them is still
    the best.

    - ``printed``: use Eq. 5 as printed.
    - ``graph_threshold``: what C(G) must exceed, 0 for no threshold. Algorithm 1 has none. §IV.A gives ½ (``GRAPH``),
      which no graph exceeds under Eq. 5 as printed.
    - ``authority``: C_LLM(v) of each node (M,) by a model, or None to compute it from the graph.
    - ``centred``: whether Eq. 10 subtracts the mean.
    - ``history``: the records of sources by name.
    - ``consistent``, ``judged``, ``remembered``: whether S_n, authority and history are used; the levels that are used
      share C(v).
    """

    name: str = "mcc"
    printed: bool = True
    theta: float = THETA
    graph_threshold: float = 0.0
    alpha: float = ALPHA
    beta: float = BETA
    centred: bool = False
    history: Mapping[str, Record] = field(default_factory=dict)
    authority: Reals | None = None
    consistent: bool = True
    judged: bool = True
    remembered: bool = True

    def judge(self, claims: Claims) -> Beliefs:
        """Return the greatest C(v) / 2 of each value, and the mean C(v) / 2 of each source as its reliability.

        If all nodes of a group are rejected, the values are at most θ / 2.
        """
        found, slots = self.compute(claims), slots_of(claims)
        nodes, half = found.nodes, found.confidence / 2
        probability = np.zeros(len(slots))
        np.maximum.at(probability, slots.of, half[nodes.of])
        node_count = np.bincount(nodes.source, minlength=len(claims.sources))
        total = np.bincount(nodes.source, half, minlength=len(claims.sources))
        return Beliefs(probability, np.where(node_count > 0, total / np.maximum(node_count, 1), UNKNOWN))

    def compute(self, claims: Claims) -> Computed:
        """Return the confidence of all nodes and graphs, and the three sets."""
        nodes = nodes_of(claims)
        similar = consistency(claims, nodes, printed=self.printed)
        graph = graph_confidence(nodes, similar)
        confidence = self._confidence(claims, nodes, similar)
        isolated = (np.diff(nodes.first) == 1)[nodes.group]
        trusted = (graph > self.graph_threshold) | (self.graph_threshold == 0)
        passed = (confidence > self.theta) & trusted[nodes.group]
        coarse = trusted[nodes.group] | isolated
        return Computed(nodes, confidence, similar, graph, passed & ~isolated, ~passed & ~isolated, isolated, coarse)

    def _confidence(self, claims: Claims, nodes: Nodes, similar: Reals) -> Reals:
        """Return the confidence of each node from similarity, history and authority."""
        score = influence(claims, nodes) if self.authority is None else self.authority
        centre = float(score.mean()) if self.centred and len(score) else 0.0
        records = [self.history.get(s, (UNKNOWN, HISTORY)) for s in claims.sources]
        table = np.array(records, np.float64).reshape(-1, 2)
        past = historical(claims, nodes, credibility=table[:, 0], weight=table[:, 1])
        mean = logistic(score, beta=self.beta, centre=centre)
        alpha = self.alpha if self.judged and self.remembered else float(self.judged)
        confidence = node_confidence(similar, mean, past, alpha=alpha)
        if not (self.judged or self.remembered):
            return 2 * similar
        return confidence if self.consistent else 2 * (confidence - similar)


def make_normalised_mcc(*, history: Mapping[str, Record] | None = None, authority: Reals | None = None) -> Mcc:
    """Return our reading of the paper: S reaches 1, Eq. 10 is centred, and no contested graph is dropped as a whole."""
    return Mcc("mcc-normalised", printed=False, centred=True, history=history or {}, authority=authority)

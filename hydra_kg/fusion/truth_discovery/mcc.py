"""Multi-level confidence computing (MultiRAG Algorithm 1): nodes that pass, nodes that do not, and isolated points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.beliefs import Beliefs, Reals, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.confidence import (
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

THETA = 0.7
"""θ of Algorithm 1: the least C(v) of a node that is kept (§IV.A)."""

GRAPH = 0.5
"""C(G) over which a graph is kept (§IV.A)."""

Record = tuple[float, float]
"""Of a source: credibility Pr^h, and H, how many entities it rests on (Eq. 11)."""


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """Result of MultiRAG's Algorithm 1.

    Columns over nodes (M,): ``confidence`` C(v), ``consistent`` S_n; ``kept``: SVs · ``rejected``: C(v) ≤ θ, or in a
    graph below its threshold · ``isolated``: no homologous data · ``coarse``: left by the graph level, isolated points
    included. ``graph``: C(G), (G,).
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
    """Algorithm 1 as a method of fusion: what the kept nodes state is believed, and what isolated points state.

    Algorithm 1 puts rejected nodes into LVs, beside the isolated points; here they are two sets (``Computed``), for
    nothing speaks against an isolated point. Where all nodes of a group are rejected, the best of them is still the
    best.

    ``printed``: Eq. 5 as it stands. ``graph_threshold``: what C(G) must exceed, 0 for nothing; Algorithm 1 has none,
    §IV.A gives ½ (``GRAPH``), which no graph exceeds under Eq. 5 as printed. ``authority``: C_LLM(v) of each node (M,),
    of a model; None: from the graph. ``centred``: whether Eq. 10 subtracts the mean. ``history``: records of sources by
    name. Each level can be switched off: ``consistent`` (S_n), ``judged`` (authority), ``remembered`` (history); the
    others then share C(v).
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
        """Return values' greatest C(v) / 2 (at most θ / 2 if all nodes are rejected); reliability: mean C(v) / 2."""
        found, slots = self.compute(claims), slots_of(claims)
        nodes, half = found.nodes, found.confidence / 2
        probability = np.zeros(len(slots))
        np.maximum.at(probability, slots.of, half[nodes.of])
        node_count = np.bincount(nodes.source, minlength=len(claims.sources))
        total = np.bincount(nodes.source, half, minlength=len(claims.sources))
        return Beliefs(probability, np.where(node_count > 0, total / np.maximum(node_count, 1), UNKNOWN))

    def compute(self, claims: Claims) -> Computed:
        """Confidence of all nodes and graphs, and the three sets."""
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


def normalised(*, history: Mapping[str, Record] | None = None, authority: Reals | None = None) -> Mcc:
    """Return our reading of the paper: S reaches 1, Eq. 10 is centred, and no contested graph is dropped whole."""
    return Mcc("mcc-normalised", printed=False, centred=True, history=history or {}, authority=authority)

"""Multi-level confidence (MultiRAG §III.D): of homologous line graphs (Eq. 4–7) and of their nodes (Eq. 8–11).

A node is what one source states about one attribute of one entity: a set of values. The paper does not say what the
distributions of Eq. 4 are over. Here a value is drawn from each of two sets of k and l values with m in common: with
probability m / max(k, l) both draws give the same shared value, otherwise they are independent. Equal sets then depend
on each other wholly, disjoint ones not at all, and two sets that differ consistently gain nothing by it.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import log

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.claims import Claims
from hydra_kg.util.fast_dataclass import dataclass

Reals = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

BETA = 0.5
"""β of Eq. 10: steepness (§IV.A)."""

ALPHA = 0.5
"""α of Eq. 9 (Fig. 7)."""

HISTORY = 50.0
"""H of Eq. 11: the initial number of entities of historical queries (§IV.A)."""

UNKNOWN = 0.5
"""Pr^h of a source without any confirmation; the paper gives none."""

_PAIRS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """M nodes: runs of claims of one source in one group.

    - ``group``, ``source`` (M,): the group and the source of each node.
    - ``starts`` (M + 1,): where the claims of each node begin.
    - ``first`` (G + 1,): the first node of each group.
    - ``of`` (N,): the node of each claim.
    """

    group: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]
    starts: Places
    first: Places
    of: Places

    @property
    def sizes(self) -> Places:
        """The number of values that each node states (M,)."""
        return np.diff(self.starts)


def nodes_of(claims: Claims) -> Nodes:
    """Return the nodes of claims, in their order."""
    new = np.ones(len(claims), np.bool_)
    new[1:] = (claims.group[1:] != claims.group[:-1]) | (claims.source[1:] != claims.source[:-1])
    begin = np.flatnonzero(new).astype(np.int64)
    group = claims.group[begin]
    first = np.searchsorted(group, np.arange(len(claims.keys) + 1)).astype(np.int64)
    starts = np.append(begin, len(claims)).astype(np.int64)
    return Nodes(group, claims.source[begin], starts, first, np.cumsum(new) - 1)


def entropy(p: Reals) -> float:
    """Return H of a distribution (Eq. 6), in nats; ``p`` has any shape and sum 1."""
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def mutual_information(joint: Reals) -> float:
    """Return I of a joint distribution (Eq. 4), in nats; ``joint`` (k, l) has sum 1."""
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    at = joint > 0
    return max(0.0, float((joint[at] * np.log(joint[at] / independent[at])).sum()))


def joint_of(k: int, l: int, m: int) -> Reals:  # noqa: E741
    """Return the joint distribution of two sets of k and l values of which m are shared, float64 (k, l).

    The module's docstring defines it.
    """
    share = m / max(k, l)
    joint = np.full((k, l), (1 - share) / (k * l))
    joint[range(m), range(m)] += 1 / max(k, l)
    return joint


@cache
def similarity(k: int, l: int, m: int, *, printed: bool = False) -> float:  # noqa: E741
    """Return S of two nodes of k and l values, m shared (Eq. 5): 2 I / (H + H).

    With ``printed`` it is I / (H + H), at most ½, and 0 for two single values.
    """
    joint = joint_of(k, l, m)
    both = entropy(joint.sum(axis=1)) + entropy(joint.sum(axis=0))
    if both == 0:
        return float(not printed and m > 0)
    return (1 if printed else 2) * mutual_information(joint) / both


def consistency(claims: Claims, nodes: Nodes, *, printed: bool = False) -> Reals:
    """Return S_n of every node (Eq. 8), (M,): its mean similarity to the others in its group, 0 if there are none."""
    kind, many, sample = _kinds(claims, nodes)
    total = np.zeros(len(many))
    sizes = nodes.sizes[sample]
    own = np.repeat(np.arange(len(sample)), sizes)
    rows = np.repeat(nodes.starts[sample] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    order = np.lexsort((own, claims.value[rows], claims.group[rows]))
    own, rows = own[order], rows[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = (claims.group[rows[1:]] != claims.group[rows[:-1]]) | (claims.value[rows[1:]] != claims.value[rows[:-1]])
    low = np.flatnonzero(new)
    width = np.diff(np.append(low, len(rows)))
    # A group's pairs must be counted together: chunks end where groups do.
    for a, b in _chunks(claims.group[rows[low]], width**2):
        x, y = _pairs(low[a:b], width[a:b])
        pair, shared = np.unique(own[x] * len(many) + own[y], return_counts=True)
        left, right = np.divmod(pair, len(many))
        base = int(sizes.max()) + 1
        shapes, which = np.unique((sizes[left] * base + sizes[right]) * base + shared, return_inverse=True)
        known = [similarity(s // base**2, s // base % base, s % base, printed=printed) for s in shapes.tolist()]
        worth = np.array(known)[which]
        np.add.at(total, left, worth * many[right])
    alone = np.array([similarity(k, k, k, printed=printed) for k in range(1, int(sizes.max(initial=0)) + 1)])
    total = total - (alone[sizes - 1] if len(sizes) else 0)
    others = np.diff(nodes.first)[nodes.group] - 1
    return np.asarray(np.where(others > 0, total[kind] / np.maximum(others, 1), 0.0), np.float64)


def graph_confidence(nodes: Nodes, consistent: Reals) -> Reals:
    """Return C(G) of every group (Eq. 7), float64 (G,): the mean similarity over all ordered pairs of its nodes.

    A group without a pair has 0.
    """
    count = np.diff(nodes.first)
    total = np.bincount(nodes.group, consistent, minlength=len(count))
    return np.asarray(total / np.maximum(count, 1), np.float64)


def logistic(score: Reals, *, beta: float = BETA, centre: float = 0.0) -> Reals:
    """Return authority from scores (Eq. 10): 1 / (1 + e^(−β (C − centre))), with ``centre`` 0 as printed."""
    return np.asarray(1 / (1 + np.exp(-beta * (score - centre))), np.float64)


def influence(claims: Claims, nodes: Nodes) -> Reals:
    """Return C(v) without a model, float64 (M,) (§III.D.2, after PTCA).

    It is the mean of the log-scaled size of the source and the share of the entity's attributes that the source states.
    """
    if not len(nodes.group):
        return np.zeros(0)
    node_count = np.bincount(nodes.source, minlength=len(claims.sources))
    reach = np.log1p(node_count) / max(log(1 + int(node_count.max())), 1e-9)
    numbers: dict[str, int] = {}
    entity = np.array([numbers.setdefault(key[0], len(numbers)) for key in claims.keys], np.int64)
    known = np.bincount(entity, minlength=len(numbers))
    both = entity[nodes.group] * len(claims.sources) + nodes.source
    _, which, count = np.unique(both, return_inverse=True, return_counts=True)
    return np.asarray((reach[nodes.source] + count[which] / known[entity[nodes.group]]) / 2, np.float64)


def historical(claims: Claims, nodes: Nodes, *, credibility: Reals, weight: Reals) -> Reals:
    """Return Auth_hist of every node (Eq. 11), (M,): (H · Pr^h + Σ Pr(v)) / (H + |Data|).

    The sum is over values that at least half of the group's nodes state. ``credibility`` (S,) is Pr^h and ``weight``
    (S,) is H.
    """
    width = np.bincount(claims.group, minlength=len(claims.keys)) if len(claims) else np.zeros(0, np.int64)
    place = np.cumsum(width) - width
    code = place[claims.group] + claims.value  # codes of a group are fewer than its claims
    share = np.bincount(code, minlength=int(width.sum()))[code] / np.diff(nodes.first)[claims.group]
    right = np.bincount(nodes.of, np.where(share >= 0.5, share, 0.0), minlength=len(nodes.group))
    own = weight[nodes.source]
    return np.asarray((own * credibility[nodes.source] + right) / (own + nodes.sizes), np.float64)


def node_confidence(consistent: Reals, authority: Reals, history: Reals, *, alpha: float = ALPHA) -> Reals:
    """Return C(v) = S_n(v) + α · Auth(v) + (1 − α) · Auth_hist(v), from 0 to 2, (M,) (Eq. 9, Algorithm 1 lines 2–6)."""
    return consistent + alpha * authority + (1 - alpha) * history


def _kinds(claims: Claims, nodes: Nodes) -> tuple[Places, Places, Places]:
    """Return the distinct sets of values in each group.

    The result is the set's number of each node, how many nodes have each set, and one node of each set.
    """
    mixed = claims.value.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    with np.errstate(over="ignore"):
        sums = np.add.reduceat(mixed, nodes.starts[:-1]) if len(mixed) else mixed
    order = np.lexsort((sums, nodes.sizes, nodes.group))
    same = np.zeros(len(order), np.bool_)
    for column in (nodes.group, nodes.sizes, sums):
        same[1:] |= column[order[1:]] != column[order[:-1]]
    number = np.cumsum(same)
    kind = np.empty(len(order), np.int64)
    kind[order] = number
    first = np.flatnonzero(np.append(True, same[1:])) if len(order) else np.empty(0, np.int64)
    return kind, np.bincount(number) if len(order) else np.empty(0, np.int64), order[first]


def _pairs(low: Places, width: Places) -> tuple[Places, Places]:
    """Return all ordered pairs of rows within runs."""
    square = width**2
    begin = np.repeat(np.cumsum(square) - square, square)
    at = np.arange(int(square.sum())) - begin
    wide, base = np.repeat(width, square), np.repeat(low, square)
    return base + at // wide, base + at % wide


def _chunks(group: npt.NDArray[np.int32], work: Places) -> list[tuple[int, int]]:
    """Return ranges of runs with about ``_PAIRS`` pairs each, whole groups in each."""
    if not len(group):
        return []
    ends = np.append(np.flatnonzero(group[1:] != group[:-1]) + 1, len(group))
    done = np.cumsum(work)[ends - 1]
    cuts = ends[np.searchsorted(done, np.arange(_PAIRS, int(done[-1]) + _PAIRS, _PAIRS)).clip(max=len(ends) - 1)]
    bounds = sorted({0, *cuts.tolist(), len(group)})
    return list(pairwise(bounds))

"""The result of a fusion method: how probable each claimed value is, and how reliable each source."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.claims import Claims, Codes
from hydra_kg.util.fast_dataclass import dataclass

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Of several possibly true values those are believed that come to half of the best one. Chosen before any scoring: for
# a vote it is "at least half as many sources", for a posterior with a certain best value it is "more likely than not".
SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Copying:
    """Groups of copies: ``cluster`` (S,) is the number of each source's group, from 0 in the order of sources."""

    cluster: Ints

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The groups of two or more sources."""
        members: dict[int, list[int]] = {}
        for source, cluster in enumerate(self.cluster.tolist()):
            members.setdefault(cluster, []).append(source)
        return tuple(tuple(m) for m in members.values() if len(m) > 1)


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Beliefs of a method about values and sources.

    - ``probability`` (V,): the probability of each slot.
    - ``reliability`` (S,): the reliability of each source.
    - ``share``: the share of the best probability that a value needs where several values may be true.
    - ``copying``: the groups of copies, if the method looked for them.
    """

    probability: Reals
    reliability: Reals
    share: float = SHARE
    copying: Copying | None = None


class Method(Protocol):
    """Method of truth discovery: takes claims and returns beliefs.

    It is deterministic; a method that samples has a seed.
    """

    @property
    def name(self) -> str:
        """The method's name, as ``--method`` takes it."""

    def judge(self, claims: Claims) -> Beliefs:
        """Return the probability of each (group, value) and the reliability of each source."""
        ...


@dataclass(frozen=True, slots=True)
class Slots:
    """The values of all groups in a row, as V slots.

    - ``first`` (G + 1,): the first slot of each group.
    - ``of`` (N,): the slot of each claim.
    - ``group`` (V,): the group of each slot.
    - ``size`` (G,): the number of slots of each group.
    """

    first: Ints
    of: Ints
    group: Ints
    size: Ints

    def __len__(self) -> int:
        return int(self.first[-1])


def slots_of(claims: Claims) -> Slots:
    """Return the slots of claims, in the order of groups and value codes."""
    size = np.fromiter(map(len, claims.texts), np.int64, len(claims.texts))
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(size)))
    return Slots(first, first[claims.group] + claims.value, np.repeat(np.arange(len(size)), size), size)


@dataclass(frozen=True, slots=True)
class Membership:
    """The P distinct pairs of a group and a source that makes a claim in it.

    ``of`` (N,) is the pair of each claim.
    """

    group: Ints
    source: Ints
    of: Ints


def membership(claims: Claims) -> Membership:
    """Return the distinct (group, source) pairs of claims."""
    n = max(1, len(claims.sources))
    pairs, of = np.unique(claims.group.astype(np.int64) * n + claims.source, return_inverse=True)
    return Membership(*np.divmod(pairs, n), of)


def broader_slots(claims: Claims, slots: Slots) -> tuple[Ints, Ints]:
    """Return slots (B,), and the slots of their less specific forms (B,)."""
    first = slots.first[claims.broader[:, 0]]
    return first + claims.broader[:, 1], first + claims.broader[:, 2]


def sum_weights(index: Ints | Codes, weights: Reals, n: int) -> Reals:
    """Return the sums of weights by index (n,)."""
    return np.bincount(index, weights, n).astype(np.float64, copy=False)


def per_group(slots: Slots, values: Reals) -> Reals:
    """Return the sum of a column over the slots of each group (G,)."""
    return sum_weights(slots.group, values, len(slots.size))


def best_of(slots: Slots, values: Reals) -> Reals:
    """Return the greatest value of each group (G,), or 0 for a group without values."""
    best = np.zeros(len(slots.size))
    full = slots.size > 0
    if full.any():
        best[full] = np.maximum.reduceat(values, slots.first[:-1][full])
    return best


def normalise_logs(slots: Slots, logs: Reals, *, spare: Reals | None = None) -> Reals:
    """Return exp of the logs (V,), divided by its sum in each group.

    ``spare`` (G,) is the log-mass of the values that nobody claims.
    """
    top = best_of(slots, logs + 1e9) - 1e9
    if spare is not None:
        top = np.maximum(top, spare)
    weights = np.exp(logs - top[slots.group])
    total = per_group(slots, weights)
    if spare is not None:
        total = total + np.exp(spare - top)
    return weights / np.maximum(total[slots.group], 1e-300)


def mean_by_source(claims: Claims, values: Reals, *, prior: float = 0.5, strength: float = 0.0) -> Reals:
    """Return the mean of a column over each source's claims (S,), smoothed towards ``prior``.

    The prior counts as ``strength`` further claims.
    """
    n = len(claims.sources)
    count = np.bincount(claims.source, minlength=n) + strength
    total = np.bincount(claims.source, values, n) + strength * prior
    return np.where(count > 0, total / np.maximum(count, 1e-9), prior)


def wilson_low(hits: Reals, n: Reals, z: float = 1.96) -> Reals:
    """Return the lower end of the Wilson interval of hits/n."""
    p = hits / n
    spread = z * np.sqrt(np.maximum(p * (1 - p), 0) / n + z * z / (4 * n * n))
    return np.asarray((p + z * z / (2 * n) - spread) / (1 + z * z / n))


def believed(claims: Claims, beliefs: Beliefs, *, share: float | None = None) -> Flags:
    """Return which values are believed (V,).

    This is the most probable value of each group; of equals the most specific, then the first. In groups where several
    values may be true (``Claims.many``), all values are believed that reach ``share`` of the best probability.
    """
    share = beliefs.share if share is None else share
    slots = slots_of(claims)
    accepted = np.zeros(len(slots), np.bool_)
    narrow, _ = broader_slots(claims, slots)
    depth = np.bincount(narrow, minlength=len(slots))
    rank = np.lexsort((np.arange(len(slots)), -depth, -np.round(beliefs.probability, 9), slots.group))
    full = slots.size > 0
    accepted[rank[slots.first[:-1][full]]] = True
    if len(claims.many):
        best = best_of(slots, beliefs.probability)[slots.group]
        accepted |= claims.many[slots.group] & (beliefs.probability >= share * best - 1e-9)
    return accepted

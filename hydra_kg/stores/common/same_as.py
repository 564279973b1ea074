"""Builds same-as classes for every store: connected components of accepted links, minus those that are not fused."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.ids import GID, MID, QID, TAG_BITS, TYPE_KEYS, VALUE_BITS, encode
from hydra_kg.util.fast_dataclass import dataclass

LARGEST: Final = 8
"""Most members of a class. A larger component is a sign of wrong links."""

TYPE_PREDICATES: Final = frozenset(map(encode, TYPE_KEYS))
GENERAL_TYPES: Final = frozenset(map(encode, ("common.topic",)))
_SPACES: Final = ((MID, GID), (QID,))
_ASKED: Final = 2048  # components whose types are asked for at once

Unfused = tuple[tuple[int, ...], str]


@dataclass(frozen=True, slots=True, eq=False)
class SameAsClasses:
    """Members of equivalence classes and their representatives, as int64 (k,), and the components that were not fused.

    The members are in ascending order.
    """

    member: Ids
    representative: Ids
    unfused: tuple[Unfused, ...] = ()


def fuse_links(a: Ids, b: Ids, types_of: Callable[[Sequence[int]], Sequence[frozenset[int]]]) -> SameAsClasses:
    """Return the classes of the same-as links a[i]–b[i], independent of their order.

    ``types_of`` returns the types of nodes, without types that everything has.
    """
    ids, label = components(a, b)
    size = np.bincount(label, minlength=len(ids))
    by_label = np.argsort(label, kind="stable")
    start = np.cumsum(size) - size

    def members(c: int) -> Ids:
        return ids[by_label[start[c] : start[c] + size[c]]]

    bad = {c: f"{size[c]} members" for c in np.flatnonzero(size > LARGEST).tolist()}
    for tags in _SPACES:
        several = np.bincount(label[np.isin(ids & 7, tags)], minlength=len(ids)) > 1
        suspects = [c for c in np.flatnonzero(several).tolist() if c not in bad]
        for first in range(0, len(suspects), _ASKED):
            groups = {c: [i for i in members(c).tolist() if i & 7 in tags] for c in suspects[first : first + _ASKED]}
            types = iter(types_of([i for group in groups.values() for i in group]))
            for c, group in groups.items():
                if _differ(list(itertools.islice(types, len(group)))):
                    bad[c] = "two identifiers of one name space with different types"
    unfused = tuple((tuple(members(c).tolist()), reason) for c, reason in sorted(bad.items()))
    fused = (size[label] > 1) & ~np.isin(label, list(bad))
    return SameAsClasses(ids[fused], ids[_order_by_rank(ids)][label[fused]], unfused)


def components(a: Ids, b: Ids) -> tuple[Ids, npt.NDArray[np.int64]]:
    """Return the ids in links a[i]–b[i], ascending (k,), and the rank of each one's least member (tag, value)."""
    ids, ends = np.unique(np.concatenate((a, b)), return_inverse=True)
    rank = np.empty(len(ids), np.int64)
    rank[_order_by_rank(ids)] = np.arange(len(ids))
    left, right = rank[ends[: len(a)]], rank[ends[len(a) :]]
    root = np.arange(len(ids))
    while True:
        x, y = root[left], root[right]
        open_ = x != y
        if not open_.any():
            return ids, root[rank]
        left, right, x, y = left[open_], right[open_], x[open_], y[open_]
        np.minimum.at(root, np.maximum(x, y), np.minimum(x, y))
        while True:
            up = root[root]
            if (up == root).all():
                break
            root = up


def _differ(types: Sequence[frozenset[int]]) -> bool:
    return any(x and y and not x & y for i, x in enumerate(types) for y in types[:i])


def _order_by_rank(ids: Ids) -> npt.NDArray[np.intp]:
    """Return positions in the order of representatives: by tag, then value."""
    return np.argsort((ids & 7) << VALUE_BITS | ids >> TAG_BITS)

"""Gender of people as sources state it, and of the nouns for relatives: "mother", "brothers"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from hydra_kg.ports import Snapshot
from hydra_kg.steps.retrieval.entity_types import head

Gender = Literal["", "female", "male"]

_STATING: Final = frozenset({"P21", "people.person.gender"})

_NOUNS: Final[dict[str, Gender]] = {
    **dict.fromkeys("mother mom mum wife sister daughter aunt niece grandmother queen".split(), "female"),
    **dict.fromkeys("father dad husband brother son uncle nephew grandfather king".split(), "male"),
}


def gender_of(noun: str) -> Gender:
    """The gender that a noun phrase says, "" where it says none: ``elder sisters`` → female."""
    return _NOUNS.get(head(noun), "")


def genders(snapshot: Snapshot, nodes: Sequence[int]) -> dict[int, Gender]:
    """By class id, what sources state; without those of whom they state nothing."""
    keys = snapshot.predicates().keys
    rank = np.array([key in _STATING for key in keys], np.float32)
    if not nodes or not rank.any():
        return {}
    cut = snapshot.cut(list(nodes), depth=1, hops="paper", rank=rank, budget=4 * len(nodes))
    mine = np.flatnonzero(rank[cut.pred] > 0)
    pairs = [(int(a), int(b)) for a, b in zip(cut.ids[cut.src[mine]], cut.ids[cut.dst[mine]], strict=True)]
    values = sorted({b for _, b in pairs})
    names = dict(zip(values, (e.node.name.casefold() for e in snapshot.entities(values)), strict=True))
    out: dict[int, Gender] = {}
    for node, value in pairs:
        if names[value] == "male":
            out[node] = "male"
        elif names[value] == "female":
            out[node] = "female"
    return out

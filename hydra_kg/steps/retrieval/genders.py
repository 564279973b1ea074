"""Gender of people as sources state it, and of the nouns for relatives: "mother", "brothers"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.retrieval.entity_types import head, stated_ends

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
    pairs = stated_ends(snapshot, nodes, _STATING, each=4)
    values = sorted({b for _, b in pairs})
    names = dict(zip(values, (e.node.name.casefold() for e in snapshot.entities(values)), strict=True))
    out: dict[int, Gender] = {}
    for node, value in pairs:
        if names[value] == "male":
            out[node] = "male"
        elif names[value] == "female":
            out[node] = "female"
    return out


def mostly_unknown(context: Context, nodes: Sequence[int]) -> bool:
    """Whether there are several, and of most of them no source states the gender."""
    return len(nodes) > 1 and 2 * len(genders(context.snapshot, nodes)) < len(nodes)

"""Partial and whole readings of a question, as the search for the cheapest one makes them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.steps.schema.schema_matching import Anchor
from hydra_kg.util.fast_dataclass import dataclass

_SMALL: Final = 1_000
"""Things of a set that is its own key."""


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """How a state was reached: ``at`` an anchor, ``by`` a relation (``closed``: repeatedly), or ``with`` another."""

    before: State | None = None
    relation: int = -1
    forward: bool = True
    closed: bool = False
    other: State | None = None
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The things that a part of the question means.

    Args:
        nodes: The things.
        mask: The bits of the words that are accounted for.
        cost: What the state costs.
        here: The bits of the words that say what these things are.
        origin: The bit from which words go outward.
        far: How far away from it the last word was.
        move: The last step.
    """

    nodes: Ids
    mask: int
    cost: float
    here: int
    origin: float
    far: float
    move: Move
    depth: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SchemaReading:
    """A reading of the whole question, what it costs and what it leaves unexplained."""

    state: State
    total: float
    left: int
    nodes: Ids
    words: str = ""
    by: str = ""
    is_dated: bool = False
    """What a superlative orders by, and whether these are dates."""


def keep(pool: dict[tuple[int, bytes], State], state: State) -> bool:
    """Add a state to the pool, unless it has one as cheap with the same things and words; return whether it did."""
    key = (state.mask, digest(state.nodes))
    if key in pool and (pool[key].cost, -bin(pool[key].here).count("1")) <= (state.cost, -bin(state.here).count("1")):
        return False
    pool[key] = state
    return True


def digest(nodes: Ids) -> bytes:
    """Return a key that tells sets of things apart.

    It is the set itself or, for a large set, a digest of 16 bytes, because a search has hundreds of sets.
    """
    data = np.ascontiguousarray(nodes).data
    return bytes(data) if len(nodes) <= _SMALL else blake2b(data, digest_size=16).digest()


def bits_of(mask: int) -> list[int]:
    """Return the bits of a mask, ascending."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def was_visited(state: State, nodes: Ids) -> bool:
    """Return True if these are things from which the way came."""
    todo: list[State | None] = [state]
    while todo:
        one = todo.pop()
        if one is not None:
            if len(one.nodes) == len(nodes) and np.array_equal(one.nodes, nodes):
                return True
            todo += [one.move.before, one.move.other]
    return False


def is_guessed(state: State) -> bool:
    """Return True if a reading follows a relation that no word of the question asks for."""
    move = state.move
    if move.before is None:
        return False
    if move.other is not None:
        return is_guessed(move.before) or is_guessed(move.other)
    return (state.mask == move.before.mask and not move.closed) or is_guessed(move.before)


def is_just_named(state: State) -> bool:
    """Return True if no relation led to these things: the question names them."""
    move = state.move
    if move.other is not None and move.before is not None:
        return is_just_named(move.before) or is_just_named(move.other)
    return move.before is None and move.anchor is not None and not move.anchor.cls and len(move.anchor.nodes) == 1

"""Detects attributes whose values are lists, and separates what merely stands beside a list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hydra_kg.fusion.model.beliefs import Flags, Ints, wilson_low
from hydra_kg.fusion.model.claims import Codes, packed

# An attribute has several values when its own sources say so: one in fifty lists more than one, in one statement or as
# half of those that give several should (``Said.listing``).
SEVERAL = 0.02
LISTED = 0.5


@dataclass(frozen=True, slots=True)
class ListEvidence:
    """``listing``: whether sources list several values; ``outside_list`` (N,): against their source's list."""

    listing: bool
    outside_list: Flags

    @staticmethod
    def of(speaker: Ints, group: Ints, slot: Ints, text: Codes, claims: Ints) -> ListEvidence:
        """From rows (M,): speaker (source and group), group, slot of the value, text; ``claims`` (N,): a row of each
        speaker's values, in their order.

        Speakers list values when they give several in one statement, or several that others say too. A source that
        merely contradicts itself lists nothing, though by chance another may share its mistake: where nobody writes
        lists, those that give several values must be confirmed in two of them half as often as two would be that stand
        as well as the values that are given alone.
        """
        who = np.cumsum(np.diff(speaker[claims], prepend=-1) != 0) - 1
        confirmed = np.bincount(slot[claims])[slot] > 1
        own = confirmed[claims]
        given = np.bincount(who)
        several = np.bincount(who, own) > 1
        _, at, values = np.unique(packed(who, text[claims]), return_index=True, return_counts=True)
        multi_valued = np.zeros(len(given), np.bool_)
        multi_valued[who[at[values > 1]]] = True
        several |= multi_valued
        alone = own[given[who] == 1]
        usual = float(alone.mean()) if len(alone) else 1.0
        chance = several.sum() < LISTED * usual**2 * (given > 1).sum() and multi_valued.mean() < SEVERAL
        listing = bool(several.mean() >= SEVERAL and not chance)
        outside_list = (
            _contradicting(speaker, group, slot, text, confirmed) if listing else np.zeros(len(claims), np.bool_)
        )
        return ListEvidence(listing, outside_list)


def _contradicting(speaker: Ints, group: Ints, slot: Ints, text: Codes, confirmed: Flags) -> Flags:
    """(N,): values that contradict their source's own list, by speaker and slot; columns are of rows (M,).

    Where others speak, a statement that is all its source says is confirmed (any of its values) at a rate q, one that
    stands beside a confirmed one of its source at b: the share b / q of those are parts of a list, the others were
    never meant to be. Where these are surely the most, those that nobody confirms are counted among them.
    """
    _, at, who = np.unique(speaker, return_index=True, return_inverse=True)
    checked = (np.bincount(group[at]) > 1)[group[at]]
    _, first, statement = np.unique(packed(speaker, text), return_index=True, return_inverse=True)
    confirmed_statements = np.bincount(statement, confirmed) > 0
    made, hits = np.bincount(who[first]), np.bincount(who[first], confirmed_statements)
    alone, more = hits[checked & (made == 1)], (made > 1) & (hits > 0)
    further = np.maximum((made[more] - 1).sum(keepdims=True), 1.0)
    most = 1 - wilson_low(further - (hits[more] - 1).sum(), further)[0]
    _, where, claim = np.unique(packed(speaker, slot), return_index=True, return_inverse=True)
    doubted = (hits[who[where]] > 0) & (most < 0.5 * (alone.sum() + 1) / (len(alone) + 2))
    doubted[claim[confirmed_statements[statement]]] = False
    return np.asarray(doubted)

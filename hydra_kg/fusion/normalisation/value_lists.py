"""Detection of attributes whose values are lists, and of values that are not part of a list."""

from __future__ import annotations

import numpy as np

from hydra_kg.fusion.model.beliefs import Flags, Ints, wilson_low
from hydra_kg.fusion.model.claims import Codes, pack_columns
from hydra_kg.util.fast_dataclass import dataclass

# An attribute has several values when its own sources say so: one in fifty lists more than one, in one statement or as
# half of those that give several should (``Said.listing``).
SEVERAL = 0.02
LISTED = 0.5


@dataclass(frozen=True, slots=True)
class ListEvidence:
    """Evidence for lists: whether sources list several values, and which claims contradict their source's list (N,)."""

    listing: bool
    outside_list: Flags

    @staticmethod
    def of(speaker: Ints, group: Ints, slot: Ints, text: Codes, claims: Ints) -> ListEvidence:
        """Return the evidence in rows (M,) of speaker, group, slot of the value and text.

        A speaker is a source in a group. ``claims`` (N,) has one row for each value of each speaker, in their order.

        Speakers list values if they give several in one statement, or several that others also state. A source that
        merely contradicts itself lists nothing, though another source may share its mistake by chance. So where nobody
        writes lists, speakers with several values must often have two of them confirmed. This must happen at least half
        as often as it would if each of these values were confirmed as often as the values that are given alone.
        """
        who = np.cumsum(np.diff(speaker[claims], prepend=-1) != 0) - 1
        confirmed = np.bincount(slot[claims])[slot] > 1
        own = confirmed[claims]
        given = np.bincount(who)
        several = np.bincount(who, own) > 1
        _, at, values = np.unique(pack_columns(who, text[claims]), return_index=True, return_counts=True)
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
    """Return the values that contradict their source's own list (N,), by speaker and slot; columns are of rows (M,).

    Only groups with other sources count. A statement that is all its source says is confirmed (in any of its values) at
    a rate q. A statement next to a confirmed one of the same source is confirmed at a rate b. The share b / q of the
    latter are parts of a list; the others were never meant to be. Where the others are surely the majority, statements
    that nobody confirms count as others.
    """
    _, at, who = np.unique(speaker, return_index=True, return_inverse=True)
    checked = (np.bincount(group[at]) > 1)[group[at]]
    _, first, statement = np.unique(pack_columns(speaker, text), return_index=True, return_inverse=True)
    confirmed_statements = np.bincount(statement, confirmed) > 0
    made, hits = np.bincount(who[first]), np.bincount(who[first], confirmed_statements)
    alone, more = hits[checked & (made == 1)], (made > 1) & (hits > 0)
    further = np.maximum((made[more] - 1).sum(keepdims=True), 1.0)
    most = 1 - wilson_low(further - (hits[more] - 1).sum(), further)[0]
    _, where, claim = np.unique(pack_columns(speaker, slot), return_index=True, return_inverse=True)
    doubted = (hits[who[where]] > 0) & (most < 0.5 * (alone.sum() + 1) / (len(alone) + 2))
    doubted[claim[confirmed_statements[statement]]] = False
    return np.asarray(doubted)

"""The order of a table's rows in their file: what is listed last, what comes right after something."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from hydra_kg.domain import Fact, Ids
from hydra_kg.execution.facts import NO_PLACES
from hydra_kg.steps.context import Context
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.view import View

Order = Callable[[Ids], Ids]
"""The rows of a table in the order of their file; none where that is not known."""

_NUMBER: Final = re.compile(r"\d+")


def file_order(context: Context, view: View) -> Order:
    """Return the rows in the order of the file, by the citation of one fact each.

    Large tables and tables of several files have none.
    """
    most = costs.LISTED_ROWS

    def order(rows: Ids) -> Ids:
        if not len(rows) or len(rows) > most:
            return NO_PLACES
        handles: dict[int, tuple[int, int]] = {}
        for relation in view.graph.relations:
            at = relation.there.rows(rows)
            for row, place in zip(relation.there.start[at].tolist(), at.tolist(), strict=True):
                handles.setdefault(row, (int(relation.there.segment[place]), int(relation.there.row[place])))
        mine = sorted(handles)
        segments, facts = zip(*(handles[r] for r in mine), strict=True) if mine else ((), ())
        stated = context.stored.facts(np.array(segments, np.int16), np.array(facts, np.int64))
        places = [_place(fact) for fact in stated]
        if len(mine) < len(rows) or len({f.locator.file for f in stated}) != 1 or None in places:
            return NO_PLACES
        return np.array([row for _, row in sorted(zip(places, mine, strict=True))], np.int64)

    return order


def _place(fact: Fact) -> int | None:
    if fact.locator.line:
        return fact.locator.line
    number = _NUMBER.search(fact.locator.page)
    return int(number[0]) if number else None

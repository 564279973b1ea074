"""Find the ways between tables."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import Column, Join, View

Direction = tuple[Column, Column]

_ORIGIN: Final = frozenset("from origin source sender".split())
_GOAL: Final = frozenset("to destination target recipient".split())
"""Words of two headings that say from where to where, or from whom to whom."""
NEXT: Final = "next"


def directions(view: View, table: int) -> list[Direction]:
    """Return the columns "from …" and "to …", or "…" and "next …", of a table: references to one table, or texts."""
    return view.once(("directions", table), lambda: list(_find_directions(view, table)))


def _find_directions(view: View, table: int) -> Iterator[Direction]:
    links = [c for c in view.of_table(table) if c.kind in ("link", "text")]
    for one in links:
        alike = [c for c in links if (c.kind, c.to) == (one.kind, one.to) and c is not one]
        ends = [c for c in alike if {*c.words} - {NEXT} == {*one.words} and one.kind == "link"]
        if _ORIGIN & {*one.words}:
            rest = {*one.words} - _ORIGIN
            ends = [c for c in alike if _GOAL & {*c.words} and {*c.words} - _GOAL == rest]
        if len(ends) == 1:
            yield one, ends[0]


def ways(view: View, base: int, prefer: Mapping[int, float]) -> dict[int, tuple[float, tuple[Join, ...]]]:
    """Return each table's cheapest way, with cost and joins; the result is shared.

    ``prefer`` has the costs of named relations; others cost 1.
    """
    return _find_ways(view, base, prefer) if prefer else view.once(("ways", base), lambda: _find_ways(view, base, {}))


def _find_ways(view: View, base: int, prefer: Mapping[int, float]) -> dict[int, tuple[float, tuple[Join, ...]]]:
    best: dict[int, tuple[float, tuple[Join, ...]]] = {base: (0.0, ())}
    heap: list[tuple[float, int, int]] = [(0.0, 0, base)]
    while heap:
        cost, _, at = heapq.heappop(heap)
        if cost > best[at][0]:
            continue
        for n, join in enumerate(view.joins.get(at, ())):
            plain = costs.STEP_NAMELESS if view.tables[join.end].nameless else 1.0
            step = prefer.get(join.relation, plain + costs.STEP_ROLE * _is_role(view, join))
            new = cost + step + costs.STEP_ORDER * n
            if join.end not in best or new < best[join.end][0]:
                also = _as_good(view, join, prefer)
                best[join.end] = (new, (*best[at][1], replace(join, also=also) if also else join))
                heapq.heappush(heap, (new, n, join.end))
    return best


def _as_good(view: View, join: Join, prefer: Mapping[int, float]) -> tuple[int, ...]:
    """Return other relations between the same tables that say as much as one that the question does not name.

    A line has the stations at both ends of its connections.
    """
    table = join.start if join.forward else join.end
    pairs = [{one.relation, other.relation} for one, other in directions(view, table)]
    alike: set[int] = set().union(*(pair for pair in pairs if join.relation in pair))
    if join.relation in prefer or not (alike or _is_role(view, join)):
        return ()
    same = [j for j in view.joins[join.start] if (j.end, j.forward) == (join.end, join.forward)]
    same = [j for j in same if not alike or j.relation in alike]
    return tuple(dict.fromkeys(j.relation for j in same if j.relation != join.relation))


def _is_role(view: View, join: Join) -> bool:
    """Return True if a relation says more than the table that it leads to.

    The chair of a committee is not just any councillor of it.
    """
    return view.once(("role", join), lambda: _says_more(view, join))


def _says_more(view: View, join: Join) -> bool:
    link = next((c for c in view.of[join.relation] if c.table == (join.start if join.forward else join.end)), None)
    end = join.end if join.forward else join.start
    names = {w for n in view.tables[end].names for w in n} | {"id", "code", "number"}
    return link is not None and not set(link.words) <= names

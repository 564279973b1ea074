"""Group things by the values that they share, each group with a number computed over its things."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.conditions import aggregate, within
from hydra_kg.execution.graph_columns import Denotation, FactSource, ascending
from hydra_kg.execution.ordered_things import first_by, value_ranks
from hydra_kg.execution.set_operators import rows_of
from hydra_kg.plan.model import Aggregate, GroundedPath, GroupBy, Top
from hydra_kg.util.cancelling import check, check_between
from hydra_kg.util.number_columns import sort_distinct, spread

N = TypeVar("N", bound=np.generic)

_SHOWN: Final = 20
"""Most groups whose numbers are shown."""


def evaluate_groups(facts: FactSource, root: GroupBy | Top | Aggregate, node: GroupBy) -> Denotation:
    """Return the values of the groups of ``node``, or for an aggregate the first number.

    ``root`` is the groups themselves, their order, or an aggregate over them.
    """
    result = Denotation()
    things = ascending(rows_of(facts, node.of, result).things)
    order = next((n for n in (root, root.of) if isinstance(n, Top)), None)
    start, ends = facts.read(node.refs[0], things)
    groups = _group_rows(facts, start, ends, by_text=order is not None and order.total and np.array_equal(start, ends))
    if node.having is not None:
        good = within(node.having, np.array([len(some) for some in groups.values()], np.float64))
        groups = {g: some for (g, some), met in zip(groups.items(), good, strict=True) if met}
    numbers, without = _numbers(facts, node, order, groups)
    result.missing += without
    numbers = {g: number for g, number in numbers.items() if not math.isnan(number)}
    if node.bound is not None:
        good = within(node.bound, np.array([*numbers.values()], np.float64))
        numbers = {g: number for (g, number), met in zip(numbers.items(), good, strict=True) if met}
    groups = {g: groups[g] for g in numbers}
    chosen = _order_groups(facts, order, numbers) if order is not None else _in_time(facts, node.refs[0], groups)
    check()
    result.missing += len(things) - len(sort_distinct(start))
    shown = chosen[:1] if isinstance(root, Aggregate) else chosen[:_SHOWN]
    result.computation = ", ".join(f"{facts.graph.name(g)}: {numbers[g]:g}" for g in shown)
    if isinstance(root, Aggregate):
        for first in shown:
            result.number, result.rows = numbers[first], groups[first].tolist()
        return result
    result.values, result.rows = chosen, [int(groups[g][0]) for g in chosen]
    result.said = [() for _ in chosen]
    if node.function != "list" and (order is None or not order.n):
        result.measures = [f"{numbers[g]:.6g}" for g in chosen]
    return result


def _group_rows(facts: FactSource, start: Ids, ends: Ids, *, by_text: bool) -> dict[int, Ids]:
    """Return the rows of each value, ascending, in the order of the values' first rows. "Loam" is "loam".

    ``by_text``: things of one name are one group too, as sales that are called by what was sold.
    """
    values, seen, at = np.unique(ends, return_index=True, return_inverse=True)
    alike, spelt = values.copy(), dict[str, int]()
    for n in check_between(np.argsort(seen).tolist()):
        end = int(values[n])
        if by_text or end >= len(facts.graph.ids) or not any(mask[end] for mask in facts.kinds):
            alike[n] = spelt.setdefault(facts.graph.name(end).casefold(), end)
    of = alike[at]
    order = np.lexsort((start, of))
    of, rows = of[order], start[order]
    new = np.diff(of, prepend=-1) != 0
    first = new | (np.diff(rows, prepend=-1) != 0)
    parts = np.split(rows[first], np.flatnonzero(new[first])[1:])
    groups = dict(zip(of[new].tolist(), parts, strict=True)) if len(of) else {}
    return {end: groups[end] for end in values[np.argsort(seen)].tolist() if end in groups}


def _numbers(
    facts: FactSource, node: GroupBy, order: Top | None, groups: Mapping[int, Ids]
) -> tuple[dict[int, float], int]:
    """Return the number of each group, and of how many rows of all groups nothing is known to add up or compare.

    It is the count or sum that orders the groups, else the value of their function: NaN if no value is known.
    """
    if not groups:
        return {}, 0
    total, counted = order is not None and order.total, order is not None and order.counted
    path = _measured(node, order)
    things = sort_distinct(np.concatenate(list(groups.values())))
    if order is not None and counted and not total and order.refs[0] is not None:
        linked = _by_group(groups, *facts.follow(order.refs[0].hops, things))
        return {g: float(len(sort_distinct(own))) for g, own in linked}, 0
    if path is None:
        return {g: float(len(rows)) for g, rows in groups.items()}, 0
    start, ends = facts.read(path, things)
    numbers = facts.numbers(ends)
    known = ~np.isnan(numbers)
    start, numbers = start[known], numbers[known]
    function = "sum" if total else node.function
    found = {g: aggregate(function, own) if own.size else math.nan for g, own in _by_group(groups, start, numbers)}
    return found, 0 if counted else len(things) - len(sort_distinct(start))


def _by_group(groups: Mapping[int, Ids], start: Ids, values: npt.NDArray[N]) -> Iterator[tuple[int, npt.NDArray[N]]]:
    """Yield each group with the values of its rows. ``start`` has the row of each value, ascending."""
    rows = np.concatenate(list(groups.values()))
    low, high = np.searchsorted(start, rows), np.searchsorted(start, rows, "right")
    values = values[spread(low, high - low)]
    ends = np.concatenate([[0], np.cumsum(high - low)])[np.cumsum([len(own) for own in groups.values()])]
    at = 0
    for g, end in check_between(zip(groups, ends.tolist(), strict=True), every=100):
        yield g, values[at:end]
        at = end


def _measured(node: GroupBy, order: Top | None) -> GroundedPath | None:
    """Return the path to the numbers that are added up or compared in each group; None if rows are counted."""
    if order is not None and order.total:
        return order.refs[0]
    return None if node.function in ("list", "count", "share") else node.refs[1]


def _in_time(facts: FactSource, path: GroundedPath | None, groups: Iterable[int]) -> list[int]:
    """Return groups in their order if they are parts of days or all have a number, else as they are."""
    places = list(groups)
    if path is not None and path.relation >= 0 and facts.graph.relations[path.relation].part_of >= 0:
        return sorted(places)
    numbers = facts.numbers(np.array(places, np.int64))
    return places if np.isnan(numbers).any() else [places[n] for n in np.argsort(numbers, kind="stable")]


def _order_groups(facts: FactSource, node: Top, numbers: dict[int, float]) -> list[int]:
    """Return the first groups by their numbers. Without a limit or such a number, return all by their values."""
    if node.n or node.counted or node.total:
        return first_by(node, sorted(numbers, key=facts.graph.name, reverse=node.order == "max"), numbers)[0]
    values = np.array(list(numbers), np.int64)
    keys = dict(zip(values.tolist(), value_ranks(facts, values).tolist(), strict=True))
    return first_by(node, values.tolist(), keys)[0]

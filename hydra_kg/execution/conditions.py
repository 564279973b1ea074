"""Evaluate conditions on things. A thing without a stated value meets no condition, not even a negated one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.graph_columns import NO_PLACES, FactSource
from hydra_kg.plan.model import Class, Condition, GroundedPath, Having, Operator, TextMatch, Where
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import contains, in_both, in_first, sort_distinct

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

AGGREGATES: Final[dict[str, Callable[[Numbers], np.float64]]] = {
    "sum": np.sum,
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
}
_MATCHES: Final = {"starts": str.startswith, "ends": str.endswith, "contains": str.__contains__}


def aggregate(function: str, numbers: Numbers) -> float:
    """Return an aggregate of at least one number."""
    return float(AGGREGATES[function](numbers))


def class_of(node: object) -> Class | None:
    """Return the class from which a query chooses; None if it chooses from no class."""
    while isinstance(node, Operator) and not isinstance(node, Class):
        node = getattr(node, "of", None) or next(iter(getattr(node, "parts", ())), None) or getattr(node, "part", None)
    return node if isinstance(node, Class) else None


def matching(facts: FactSource, node: TextMatch, things: Ids) -> Ids:
    """Return the things with a value that contains, starts or ends with a text."""
    start, ends = facts.read(node.refs[0], things)
    matches, text = _MATCHES[node.how], node.text.casefold()
    names = (facts.graph.name(e).casefold() for e in check_between(ends.tolist()))
    good = start[np.fromiter((matches(name, text) for name in names), np.bool_, len(ends))]
    return in_first(start, good) if node.negated else sort_distinct(good)


def meeting(facts: FactSource, node: Where, things: Ids) -> Ids:
    """Return the things with a value that meets a condition."""
    condition, path = node.condition, node.refs[0]
    if condition.places is not None and condition.op in ("=", "!=") and path is not None and not path.hops:
        good = facts.having(path.relation, condition.places)
        negated = condition.op == "!="
        return in_first(facts.read(path, things)[0], good) if negated else in_both(things, good)
    start, ends = facts.read(path, things)
    if condition.op == "lacks":
        return in_first(things, start)
    if condition.op == "exists":
        return sort_distinct(start)
    if len(node.refs) > 1 and condition.op == "=":
        alike = _stated(facts, start, ends) & _stated(facts, *facts.read(node.refs[1], things))
        return sort_distinct(np.array([thing for thing, _ in alike], np.int64))
    numbers = facts.numbers(ends)
    if len(node.refs) > 1:
        return sort_distinct(start[_exceeds_other_value(facts, node, start, numbers)])
    if condition.than or condition.places is not None:
        whole = class_of(node.of)
        others = condition.places if condition.places is not None else whole.places if whole is not None else things
        theirs = facts.numbers(facts.read(path, others)[1]) if others is not None else numbers
        theirs = theirs[~np.isnan(theirs)]
        return sort_distinct(start[_exceeding(condition, numbers, theirs)]) if theirs.size else NO_PLACES
    good = start[within(condition, numbers)]
    return in_first(start, good) if condition.op == "!=" else sort_distinct(good)


def _stated(facts: FactSource, things: Ids, ends: Ids) -> set[tuple[int, str]]:
    """Return the things with the names of their values."""
    return {(thing, facts.graph.name(end)) for thing, end in zip(things.tolist(), ends.tolist(), strict=True)}


def _exceeds_other_value(facts: FactSource, node: Where, things: Ids, numbers: Numbers) -> Mask:
    """Return which numbers exceed another value of the same thing: closed after the due date."""
    own, ends = facts.read(node.refs[1], things)
    bounds = dict(zip(own.tolist(), facts.numbers(ends).tolist(), strict=True))
    theirs = np.array([bounds.get(thing, np.nan) for thing in things.tolist()], np.float64)
    return numbers > theirs if node.condition.op == ">" else numbers < theirs


def _exceeding(condition: Condition, numbers: Numbers, theirs: Numbers) -> Mask:
    """Return which numbers exceed an aggregate of other numbers, or all of these."""
    above = condition.op.startswith(">")
    bound = aggregate(condition.than or ("max" if above else "min"), theirs)
    if condition.op.endswith("="):
        return numbers >= bound if above else numbers <= bound
    return numbers > bound if above else numbers < bound


def within(condition: Condition, numbers: Numbers) -> Mask:
    """Return which numbers meet a comparison; for ``!=``, which ones are equal to the bound."""
    if condition.interval is not None:
        low, high = condition.interval
        return (numbers >= low) & (numbers <= high)
    match condition.op:
        case ">":
            return numbers > condition.low
        case ">=":
            return numbers >= condition.low
        case "<":
            return numbers < condition.high
        case "<=":
            return numbers <= condition.high
        case _:
            return (numbers >= condition.low) & (numbers <= condition.high)


def filter_by_link_count(facts: FactSource, node: Having, things: Ids, members: Ids) -> Ids:
    """Return the things to which as many members belong as a condition states."""
    path, condition = node.refs[0], node.condition
    if condition.op in ("exists", "lacks"):
        good = facts.sources(path.hops, members) if path is not None else NO_PLACES
        return in_both(things, good) if condition.op == "exists" else in_first(things, good)
    return things[within(condition, counts(facts, path, things, members))]


def counts(facts: FactSource, path: GroundedPath | None, things: Ids, members: Ids | None) -> Numbers:
    """Return how many things, or values, a path leads to from each thing (ascending). Only ``members`` count."""
    first, last = facts.read(path, things)
    if path is not None and path.relation >= 0 and len(first):
        first, last = np.unique(np.stack([first, last]), axis=1)
    first = first if members is None else first[contains(members, last)]
    return np.bincount(np.searchsorted(things, first), minlength=len(things)).astype(np.float64)

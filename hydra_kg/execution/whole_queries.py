"""Execute a whole query: count, compute and compare the contents of its sets."""

from __future__ import annotations

from datetime import date
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.conditions import aggregate, class_of
from hydra_kg.execution.graph_columns import NO_VALUE, Denotation, FactSource, Rows, ascending
from hydra_kg.execution.groups import evaluate_groups
from hydra_kg.execution.ordered_things import many
from hydra_kg.execution.set_operators import members, project, rows_of
from hydra_kg.execution.value_differences import OLDEST, age, last_day, subtract
from hydra_kg.plan import model as m
from hydra_kg.plan.query_wording import aggregate_words
from hydra_kg.plan.walk import parts
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import sort_distinct

_BIRTH: Final = ("birth", "born", "dob")
_SHOWN: Final = 20
"""Most ages that are shown."""


def execute(facts: FactSource, root: m.Root) -> Denotation:
    """Return the result of a grounded query. Raise LookupError if it is not grounded, or has other operators."""
    match root:
        case m.GroupBy():
            return evaluate_groups(facts, root, root)
        case m.Top(of=m.GroupBy() as groups) | m.Aggregate(of=m.Top(of=m.GroupBy() as groups)):
            return evaluate_groups(facts, root, groups)
        case m.FileOrder(of=m.GroupBy() as groups):
            found = evaluate_groups(facts, groups, groups)
            some = slice(root.count) if root.place > 0 else slice(-root.count, None)
            for name in ("values", "rows", "said", "measures"):
                setattr(found, name, getattr(found, name)[some])
            return found
        case m.Count(of=m.GroupBy() as groups):
            found = evaluate_groups(facts, groups, groups)
            return Denotation(number=float(len(found.values)), rows=found.rows, computation=found.computation)
        case m.Count():
            return _count(facts, root)
        case m.Aggregate():
            return _aggregate(facts, root)
        case m.Ratio():
            return _ratio(facts, root)
        case m.Difference(high=m.Today(), low=m.Value() as began):
            return _ages(facts, root, began)
        case m.Difference():
            return subtract(facts.graph, execute(facts, root.high), execute(facts, root.low), root.unit)
        case m.Value():
            return _list(facts, m.Project(root.of, (root.attribute,), refs=root.refs) if root.attribute else root.of)
        case _:
            return _list(facts, root)


def _rows_and_total(facts: FactSource, node: m.Operator, result: Denotation) -> tuple[Rows, int]:
    """Return the rows of a set, and the number of its things including those without a value to show."""
    if not isinstance(node, m.Project):
        found = rows_of(facts, node, result)
        return found, len(ascending(found.things))
    rows = rows_of(facts, node.of, result)
    return project(facts, node, rows), len(ascending(rows.things))


def _list(facts: FactSource, root: m.Operator) -> Denotation:
    """Return the distinct values of things, in the order of the things, with those of further columns."""
    result = Denotation()
    found, whole = _rows_and_total(facts, root, result)
    first = dict(zip(reversed(found.values.tolist()), reversed(found.things.tolist()), strict=True))
    result.values = list(dict.fromkeys(check_between(found.values.tolist())))
    result.rows = [first[value] for value in result.values]
    result.said = [() for _ in result.rows]
    result.missing += whole - len(ascending(found.things))
    paths = root.refs[1:] if isinstance(root, m.Project) else ()
    columns = [_first_values(facts, path, found.things) for path in paths]
    if columns:
        result.said = [tuple(others.get(row, NO_VALUE) for others in columns) for row in result.rows]
        pairs = zip(found.values.tolist(), found.things.tolist(), strict=True)
        result.table = list(dict.fromkeys((v, *(others.get(row, NO_VALUE) for others in columns)) for v, row in pairs))
    return result


def _count(facts: FactSource, root: m.Count) -> Denotation:
    """Return the number of entities or values that the operand denotes."""
    result = Denotation()
    found, whole = _rows_and_total(facts, root.of, result)
    if found.ends is None:
        result.number, result.rows = float(whole), found.things.tolist()
        result.computation = f"{_many(root, whole)} counted"
        return result
    result.number = float(len({facts.graph.name(e) for e in check_between(found.ends.tolist())}))
    result.rows = ascending(found.things).tolist()
    result.missing = whole - len(result.rows)
    shown = next(p for p in parts(root) if isinstance(p, m.Project))
    text = shown.refs[0].text if shown.refs[0] is not None else shown.columns[0]
    result.computation = f"different values of “{text}” of {_many(root, whole)}"
    return result


def _aggregate(facts: FactSource, root: m.Aggregate) -> Denotation:
    """Return the sum, mean, median, minimum or maximum of an attribute."""
    result, path = Denotation(), root.refs[0]
    things = rows_of(facts, root.of, result).things
    if isinstance(root.of, m.Top) and root.of.n and root.of.attribute == root.attribute:
        things = things[: root.of.n]  # of equal ones any will do
    if path is None:
        return result
    own = sort_distinct(facts.follow(path.hops, ascending(things))[1])
    start, ends = facts.values(path.relation, own)
    known = ~np.isnan(facts.numbers(ends))
    start, ends, numbers = start[known], ends[known], facts.numbers(ends)[known]
    missing = len(own) - len(sort_distinct(start))
    result.missing += missing
    if not known.any():
        return result
    number = aggregate(root.function, numbers)
    lost = f"; {missing} without one" if missing else ""
    result.computation = f"{aggregate_words(root.function, path.text, many(len(numbers), path.noun))}{lost}"
    if root.function in ("max", "min"):
        at = int(np.flatnonzero(numbers == number)[0])
        result.values, result.rows = [int(ends[at])], [int(start[at])]
    else:
        result.number, result.rows = number, start.tolist()
    return result


def _ratio(facts: FactSource, root: m.Ratio) -> Denotation:
    part, whole = members(facts, root.part), members(facts, root.whole)
    is_share = any(node is root.whole for node in parts(root.part))
    number = root.scale * len(part) / len(whole) if len(whole) else None
    said = f"{len(part)} {'of' if is_share else 'to'} {len(whole)}"
    return Denotation(number=number, rows=part.tolist(), computation=said)


def _ages(facts: FactSource, root: m.Difference, began: m.Value) -> Denotation:
    """Return ages today or at the end. Births over `OLDEST` years ago without a stated death have none."""
    result, today = Denotation(), date.today()
    things = rows_of(facts, began.of, result).things
    path, name = began.refs[0], facts.graph.name
    born = path is not None and any(word in path.text.lower() for word in _BIRTH)
    over = {row: last_day(name(end)) for p in root.refs for row, end in _first_values(facts, p, things).items()}
    starts = {row: name(end) for row, end in _first_values(facts, path, things).items()}
    ages = {
        row: years
        for row in things.tolist()
        if row in starts and (end := over.get(row, today)) and (years := age(starts[row], end))
        if not born or years[0] <= OLDEST
    }
    said = [f"{low}" if low == high else f"{low} or {high}" for low, high in ages.values()]
    spans = (f"{starts[row]} to {over.get(row, today)}" for row in ages)
    shown = [f"{years} years from {span}" for years, span in zip(said, spans, strict=True)][:_SHOWN]
    result.rows, result.computation = list(ages), ", ".join(shown)
    result.missing += len(things) - len(ages)
    if len(ages) == 1 and said[0].isdigit():
        result.number = float(said[0])
    else:
        result.values, result.measures, result.said = list(ages), said, [() for _ in ages]
    return result


def _first_values(facts: FactSource, path: m.GroundedPath | None, things: Ids) -> dict[int, int]:
    start, ends = facts.read(path, things)
    return dict(zip(reversed(start.tolist()), reversed(ends.tolist()), strict=True))


def _many(root: m.Operator, number: int) -> str:
    noun = class_of(root)
    return many(number, noun.one if noun is not None else "row")

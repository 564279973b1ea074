"""Evaluate queries over tables by the names that they say: what their words promise, and no more."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from statistics import fmean, median

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.graph_columns import FactSource
from hydra_kg.language.morphology import plural
from hydra_kg.plan import model as m
from hydra_kg.plan.model import PathStep
from hydra_kg.steps.tables.graph_tables import NAME, Join, View
from hydra_kg.steps.tables.table_paths import ways

FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum, "mean": fmean, "median": median, "min": min, "max": max, "count": len, "list": len,
}  # fmt: skip


class QueryEvaluation:
    """Evaluates queries over the tables of one view. ``order``: the rows of a table as their file has them."""

    def __init__(self, view: View, order: Callable[[Ids], Ids]) -> None:
        self.view, self.graph, self.order = view, view.graph, order

    def value(self, query: m.Root) -> float | list[str]:
        """Return a number, or the names of things and values."""
        match query:
            case m.Count() if isinstance(query.of, m.Project):
                return float(len(set(self.values(query.of))))
            case m.Count():
                return float(len(self.rows(query.of)))
            case m.Ratio():
                return query.scale * len(self.rows(query.part)) / len(self.rows(query.whole))
            case m.Aggregate() if query.attribute:
                ends = self.ends(self.table(query.of), query.attribute, self.rows(query.of), once=True)
                return FUNCTIONS[query.function](self.numbers([e for some in ends.values() for e in some]))
            case _:
                return self.values(query)

    def values(self, query: m.Root) -> list[str]:
        """Return the names of what a query gives."""
        match query:
            case m.Project():
                ends = self.ends(self.table(query.of), query.columns[0], self.rows(query.of))
                return list(dict.fromkeys(self.graph.name(e) for some in ends.values() for e in some))
            case m.Both() if isinstance(query.parts[0], m.Project):
                return [n for n in self.values(query.parts[0]) if all(n in self.values(p) for p in query.parts[1:])]
            case m.Without() if isinstance(query.of, m.Project):
                return [n for n in self.values(query.of) if n not in self.values(query.less)]
            case m.GroupBy():
                return [self.graph.name(g) for g in self.groups(query)]
            case m.Top() if isinstance(query.of, m.GroupBy):
                keys = {g: self.key_of_group(query, query.of, rows) for g, rows in self.groups(query.of).items()}
                return [self.graph.name(g) for g in self.first(query, keys)]
            case _:
                return [self.graph.name(r) for r in self.rows(query)]

    def rows(self, query: m.Root) -> list[int]:
        """Return the rows that a query gives."""
        match query:
            case m.Class():
                return next(t.rows for t in self.view.tables if plural(t.text) == query.noun).tolist()
            case m.Where():
                return self.where(query)
            case m.TextMatch():
                cells = self.ends(self.table(query.of), query.attribute, self.rows(query.of))
                how = {"starts": str.startswith, "ends": str.endswith, "contains": str.__contains__}[query.how]
                return [
                    r
                    for r, ends in cells.items()
                    if any(how(self.graph.name(e).casefold(), query.text.casefold()) for e in ends) != query.negated
                ]
            case m.Having():
                linked = self.links(query, self.table(query.of), self.table(query.things))
                good = set(self.rows(query.things))
                return [r for r in self.rows(query.of) if _meets(query.condition, len(linked[r] & good))]
            case m.Either():
                return list(dict.fromkeys(r for p in query.parts for r in self.rows(p)))
            case m.Top():
                return self.top(query)
            case m.FileOrder():
                return self.in_file(query)
            case _:
                raise NotImplementedError(type(query).__name__)

    def table(self, query: m.Root) -> int:
        """Return the table whose rows a query gives."""
        if isinstance(query, m.Class):
            return next(t.place for t in self.view.tables if plural(t.text) == query.noun)
        return self.table(query.parts[0] if isinstance(query, (m.Both, m.Either)) else query.of)  # type: ignore[union-attr]

    def where(self, query: m.Where) -> list[int]:
        condition, table = query.condition, self.table(query.of)
        rows = self.rows(query.of)
        cells = self.ends(table, query.attribute, rows)
        if condition.op == "lacks":
            return [r for r in rows if r not in cells]
        if condition.than:
            every = self.ends(table, query.attribute, self.view.rows(table).tolist())
            bound = FUNCTIONS[condition.than](self.numbers([e for some in every.values() for e in some]))
            sign = 1 if condition.op == ">" else -1
            return [r for r, ends in cells.items() if any(sign * n > sign * bound for n in self.numbers(ends))]
        if condition.values and condition.op in ("<", ">"):
            every = self.ends(table, query.attribute, self.view.rows(table).tolist())
            theirs = self.numbers(
                [e for r, ends in every.items() if self.graph.name(r) in condition.values for e in ends]
            )
            above = condition.op == ">"
            met = {
                r: any(n > max(theirs) if above else n < min(theirs) for n in self.numbers(ends))
                for r, ends in cells.items()
            }
        elif condition.values:
            met = {r: any(self.graph.name(e) in condition.values for e in ends) for r, ends in cells.items()}
        else:
            met = {r: any(_within(condition, n) for n in self.numbers(ends)) for r, ends in cells.items()}
        return [r for r, is_met in met.items() if is_met != (condition.op == "!=")]

    def numbers(self, ends: list[int]) -> list[float]:
        return [n for e in ends if not math.isnan(n := float(self.graph.numbers[e]))]

    def ends(self, table: int, attribute: str, rows: list[int], *, once: bool = False) -> dict[int, list[int]]:
        """Return the values of an attribute by row, or ``once`` by the row of the table that the attribute is of."""
        own = next(
            (
                c
                for c in self.view.columns
                if c.table == table and c.relation != NAME and c.text.split(" / ")[0] == attribute
            ),
            None,
        )
        places = np.array(sorted(set(rows)), np.int64)
        if own is None and attribute == "name":
            return {r: [r] for r in rows}
        if own is not None:
            there = self.graph.relations[own.relation].there
            found = {r: there.leads(np.array([r], np.int64)).tolist() for r in rows}
            return {r: ends for r, ends in found.items() if ends}
        for other, (_, way) in ways(self.view, table, {}).items():
            text = self.view.tables[other].text
            labels = {text, *(self.text(j) for j in way[:1] if len(way) == 1)}
            mine = [c for c in self.view.columns if c.table == other and c.relation != NAME]
            column = next(
                (c for c in mine if attribute in {c.text, *(f"{label}'s {c.text}" for label in labels)}), None
            )
            if way and (attribute in labels or column is not None):
                linked: dict[int, list[int]] = defaultdict(list)
                for row, there_ in zip(*(a.tolist() for a in self.owners(way, places)), strict=True):
                    linked[row].append(there_)
                if column is None:
                    return {r: linked[r] for r in rows if linked[r]}
                further = self.ends(other, column.text.split(" / ")[0], [e for some in linked.values() for e in some])
                if once:
                    return further
                found = {r: [v for e in linked[r] for v in further.get(e, ())] for r in rows}
                return {r: some for r, some in found.items() if some}
        raise LookupError(attribute)

    def owners(self, way: tuple[Join, ...], rows: Ids) -> tuple[Ids, Ids]:
        hops = [PathStep(j.relations, j.forward, j.end) for j in way]
        return FactSource(self.graph, self.view.within).follow(hops, rows)

    def text(self, join: Join) -> str:
        return " or ".join(self.graph.relations[r].text for r in join.relations)

    def links(self, query: m.Having, start: int, end: int) -> dict[int, set[int]]:
        """Return the rows of one table that belong to each row of another, by the relations that the query names."""
        named = set(query.via.split(" or "))
        found: dict[int, set[int]] = defaultdict(set)
        for n, relation in enumerate(self.graph.relations):
            if relation.text in named or not query.via:
                columns = self.graph.relations[n].columns(not query.back)
                for one, other in zip(columns.start.tolist(), columns.end.tolist(), strict=True):
                    found[one].add(other)
        return found

    def groups(self, query: m.GroupBy) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for row, ends in self.ends(self.table(query.of), query.by, self.rows(query.of)).items():
            for end in dict.fromkeys(ends):
                found[end].append(row)
        return {g: rows for g, rows in found.items() if query.having is None or _meets(query.having, len(rows))}

    def key_of_group(self, query: m.Top, groups: m.GroupBy, rows: list[int]) -> float:
        attribute = query.attribute or groups.attribute
        if query.counted or not attribute:
            return float(len(rows))
        cells = self.ends(self.table(groups.of), attribute, rows)
        function = "sum" if query.total else groups.function
        return FUNCTIONS[function](self.numbers([e for ends in cells.values() for e in ends]))

    def top(self, query: m.Top) -> list[int]:
        table, rows = self.table(query.of), self.rows(query.of)
        if query.counted:
            other = next(t.place for t in self.view.tables if plural(t.text) == query.counted)
            way = ways(self.view, table, {})[other][1]
            first = self.owners(way, np.array(sorted(rows), np.int64))[0].tolist()
            return self.first(query, {r: first.count(r) for r in rows})
        cells = self.ends(table, query.attribute, rows)
        numeric = query.kind != "text"
        keys: dict[int, float | str] = {}
        for row, ends in cells.items():
            some = self.numbers(ends) if numeric else [self.graph.name(e).casefold() for e in ends]
            if some:
                keys[row] = math.fsum(some) if query.total else max(some) if query.order == "max" else min(some)
        return self.first(query, keys)

    def first(self, query: m.Top, keys: dict[int, float | str]) -> list[int]:
        order = sorted(keys, key=lambda r: keys[r], reverse=query.order == "max")
        for _ in range(query.skip):
            order = [r for r in order if keys[r] != keys[order[0]]]
        if not query.n:
            return order
        edge = {keys[r] for r in order[: query.n]}
        return [r for r in order if keys[r] in edge]

    def in_file(self, query: m.FileOrder) -> list[int]:
        order, rows = self.order(self.view.rows(self.table(query.of))).tolist(), set(self.rows(query.of))
        places = [n for n, row in enumerate(order) if row in rows]
        if query.step:
            return order[places[0] + query.step : places[0] + query.step + 1]
        chosen = places[-1:] if query.place < 0 else places[query.place - 1 : query.place - 1 + query.count]
        return [order[place] for place in chosen]


def _meets(condition: m.Condition, number: int) -> bool:
    bound = condition.low
    return {
        "exists": number > 0,
        "lacks": number == 0,
        ">": number > bound,
        ">=": number >= bound,
        "<": number < bound,
        "<=": number <= bound,
        "=": number == bound,
        "in": bound <= number <= condition.high,
    }[condition.op]


def _within(condition: m.Condition, number: float) -> bool:
    low, high, margin = condition.low, condition.high, 1e-6
    return {
        ">": number > low + margin,
        ">=": number >= low - margin,
        "<": number < low - margin,
        "<=": number <= low + margin,
    }.get(condition.op, low - margin <= number <= high + margin)

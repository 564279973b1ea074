"""Find the facts that make a thing an answer, for the answers that are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.evidence_hops import Leg, leg_of, legs_about
from hydra_kg.execution.graph_columns import FactSource
from hydra_kg.execution.set_operators import members
from hydra_kg.plan import model as m
from hydra_kg.plan.walk import children, parts

MOST_HOPS: Final = 20
"""Most steps of a transitive relation."""


class Provenance:
    """Facts behind the rows of one query."""

    def __init__(self, facts: FactSource, root: m.Root) -> None:
        self.facts, self.root = facts, root
        self._members: dict[int, Ids] = {}

    def legs(self, row: int, end: int | None = None) -> tuple[Leg, ...]:
        """Return the facts that lead to a row and its value: the value, what meets each condition, and the order."""
        return tuple(dict.fromkeys(self._legs(self.root, row, end))) or legs_about(self.facts.graph, row)

    def order_legs(self, row: int) -> tuple[Leg, ...]:
        """Return the facts by which a row was compared with other rows."""
        top = next((p for p in parts(self.root) if isinstance(p, m.Top) and not p.counted), None)
        return tuple(self._to_value(row, top.refs[0], None)) if top is not None else ()

    def _legs(self, node: m.Operator, row: int, end: int | None = None) -> Iterator[Leg]:
        """Yield the hops of the evidence of a row, along the operators of the plan."""
        match node:
            case m.Where() | m.TextMatch():
                yield from self._legs(node.of, row, end)
                yield from self._condition(node, row)
            case m.Having():
                yield from self._legs(node.of, row, end)
                if node.condition.op == "exists" and node.refs[0] is not None:
                    legs, last = self._chain(row, node.refs[0], self._set(node.things))
                    yield from legs
                    if legs:
                        yield from self._legs(node.things, last)
                elif node.refs[0] is not None and node.refs[0].relation >= 0:  # so many values: more than one phone
                    for value in self.facts.read(node.refs[0], np.array([row], np.int64))[1].tolist():
                        yield from self._to_value(row, node.refs[0], value)
            case m.Either():
                for part in node.parts:
                    if np.isin(row, self._set(part)):
                        yield from self._legs(part, row, end)
                        return
            case m.Both():
                for part in node.parts:
                    yield from self._legs(part, row, end)
            case m.Aggregate(refs=(m.GroundedPath(hops=(_, *_)) as reference,)):
                yield from self._to_value(row, m.GroundedPath((), reference.relation), end)
            case m.Project() | m.GroupBy() | m.Aggregate() | m.Value():
                yield from self._to_value(row, node.refs[0] if node.refs else None, end)
                yield from self._legs(node.of, row)
            case m.Top():
                yield from self._legs(node.of, row, end)
                if node.refs and not node.counted and not isinstance(node.of, m.GroupBy):
                    yield from self._to_value(row, node.refs[0], None)
            case m.Related(refs=(m.GroundedPath(hops=(m.PathStep(relations=(relation,), forward=forward),)),)):
                route, at = self._route(relation, forward, row, self._set(node.of), closed=node.closed)
                yield from self._legs(node.of, at)
                yield from route
            case m.Ratio():
                yield from self._legs(node.part, row)
            case m.Difference():
                yield from self._legs(node.high, row)
                yield from self._legs(node.low, row)
            case _:
                for child in list(children(node))[:1]:  # type: ignore[arg-type]
                    yield from self._legs(child, row, end)

    def _condition(self, node: m.Where | m.TextMatch, row: int) -> Iterator[Leg]:
        """Yield the value that meets a condition; there is none for what is not stated."""
        condition = node.condition if isinstance(node, m.Where) else m.Condition("exists", "any")
        denied = condition.op == "lacks" or (isinstance(node, m.TextMatch) and node.negated)
        for reference in node.refs if not denied else ():
            if reference is None or reference.relation < 0:
                continue
            ends = self.facts.values(reference.relation, np.array([row], np.int64))[1]
            if condition.places is not None and condition.op in ("=", "!="):
                ends = (np.intersect1d if condition.op == "=" else np.setdiff1d)(ends, condition.places)
            for end in ends[:1].tolist():
                yield leg_of(self.facts.graph, reference.relation, True, row, end)

    def _to_value(self, row: int, reference: m.GroundedPath | None, end: int | None) -> Iterator[Leg]:
        """Yield the hops to a value of a row: to ``end`` if it has that value, else to the first."""
        if reference is None:
            return
        last = self.facts.follow(reference.hops, np.array([row], np.int64))[1]
        start, values = self.facts.values(reference.relation, last)
        if end is not None and end in values:
            start, values = start[values == end], values[values == end]
        if not len(start):
            return
        legs, at = self._chain(row, reference, np.unique(start))
        yield from legs
        for value in values[start == at][:1].tolist() if reference.relation >= 0 else ():
            yield leg_of(self.facts.graph, reference.relation, True, at, value)

    def _chain(self, row: int, reference: m.GroundedPath, ends: Ids) -> tuple[list[Leg], int]:
        """Return hops from a row to the first of some ends, and that end; no hops if they reach none."""
        graph, hops = self.facts.graph, reference.hops
        legs, at = [], row
        for number, hop in enumerate(hops):
            good = self.facts.sources(hops[number + 1 :], ends)
            for relation in hop.relations:
                there = np.intersect1d(graph.relations[relation].columns(hop.forward).leads(np.array([at])), good)
                if len(there):
                    legs.append(leg_of(graph, relation, hop.forward, at, int(there[0])))
                    at = int(there[0])
                    break
            else:
                return [], row
        return legs, at

    def _route(self, relation: int, forward: bool, row: int, origins: Ids, *, closed: bool) -> tuple[list[Leg], int]:
        """Return the hops of one relation to a row from its nearest origin, and that origin."""
        graph, route = self.facts.graph, list[Leg]()
        back = graph.relations[relation].columns(not forward)
        while not (closed and np.isin(row, origins)) and len(route) <= MOST_HOPS:
            ends = back.end[back.rows(np.array([row], np.int64))]
            known = ends[np.isin(ends, origins)]
            if not len(ends) or not (closed or len(known)):
                break
            before = int(known[0] if len(known) else ends[0])
            route.append(leg_of(graph, relation, forward, before, row))
            row = before
            if len(known):
                break
        return route[::-1], row

    def _set(self, node: m.Things) -> Ids:
        if id(node) not in self._members:
            self._members[id(node)] = members(self.facts, node)
        return self._members[id(node)]

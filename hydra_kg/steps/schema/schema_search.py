"""Search for the cheapest tree of names, classes and relations that accounts for the words of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import heappush, heappushpop
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.morphology import singular
from hydra_kg.steps.executions import Executions
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.numeric_properties import within
from hydra_kg.steps.schema.partial_readings import Move, SchemaReading, State, bits_of, keep, was_visited
from hydra_kg.steps.schema.question_words import MIRROR, SchemaQuestion
from hydra_kg.steps.schema.relation_directions import asked_direction, is_against, is_headless, self_relations
from hydra_kg.steps.schema.schema_matching import Anchor, Matches
from hydra_kg.steps.schema.whole_readings import WholeReadings
from hydra_kg.util.cancelling import check, check_between
from hydra_kg.util.number_columns import distinct, intersect, subtract

MOST_WAYS: Final = 200
"""Relations, in either direction, that are followed from one partial reading."""
_KEPT: Final = 3 * costs.BEAM
"""Partial readings that a round keeps."""
_ROUNDING: Final = 1e-9


def readings(
    graph: OwnGraph, question: SchemaQuestion, matched: Matches, work: Executions | None = None
) -> list[SchemaReading]:
    """Return all readings that were found, cheapest first, one for each set of answers.

    ``work`` limits the search. If it ends the search, the readings found so far are returned.
    """
    search = _Search(graph, question, matched, work or Executions())
    pool: dict[tuple[int, bytes], State] = {}
    frontier = [s for s in search.starts() if keep(pool, s)]
    bound = costs.BOUND
    for _ in range(costs.ROUNDS):
        bound = min([bound, *(f.total + costs.SLACK for s in frontier for f in search.whole(s))])
        grown: list[State] = []
        lowest: list[float] = []  # a heap of the negative hopes of the states that best_of will return
        for state in check_between(sorted(frontier, key=search.hope)[: costs.BEAM], every=1):
            room = -lowest[0] - (search.hope(state) - state.cost) if len(lowest) == _KEPT else bound
            for one in (s for s in search.steps(state, most=min(bound, room)) if s.cost <= bound):
                grown.append(one)
                (heappushpop if len(lowest) == _KEPT else heappush)(lowest, -search.hope(one))
        grown = search.best_of(grown)
        new = [s for s in grown if keep(pool, s)]
        partners = sorted((s for s in pool.values() if s.cost <= bound), key=search.hope)[: costs.BEAM]
        joins = [
            joined
            for s in (new or frontier)
            for p in partners
            if not s.mask & p.mask and s.cost + p.cost + costs.JOIN <= bound  # most pairs fail here
            if (joined := search.joined(s, p, most=bound)) is not None
        ]
        new += [s for s in search.best_of(joins) if keep(pool, s)]
        if not new:
            break
        frontier = new
    return search.finished(pool.values())


def _ranks(graph: OwnGraph) -> Ids:
    """Return the rank of each relation that no word says: hierarchies first, then those with most facts."""
    keys = [(not relation.hierarchy, -len(relation.there.start)) for relation in graph.relations]
    ranks = np.empty(len(keys), np.int64)
    ranks[sorted(range(len(keys)), key=keys.__getitem__)] = range(len(keys))
    return ranks


def _least_costs(graph: OwnGraph) -> npt.NDArray[np.float64]:
    """Return the least cost of each way that no word says, for later steps, first steps and nameless things."""
    nameless = np.concatenate([graph.nameless, np.zeros(graph.size - len(graph.nameless), np.bool_)])
    ends = [columns.end for r in graph.relations for columns in (r.there, r.back)]
    to_nameless = np.array([bool(nameless[end].any()) for end in ends], np.bool_)
    value = np.array([("value" in r.words) * forward for r in graph.relations for forward in (1, 0)]) * costs.VALUE
    rows = []
    for cost in (costs.UNSAID, min(costs.UNSAID_MODIFIER, costs.UNSAID_NAMELESS), costs.UNSAID_NAMELESS):
        rows.append(np.where(to_nameless, min(cost, costs.UNSAID_NAMELESS), cost) - value)
    return np.array(rows).reshape(3, len(ends))


class _Search(WholeReadings):
    """One search: what is the same in all of its steps."""

    def __init__(self, graph: OwnGraph, question: SchemaQuestion, matched: Matches, work: Executions) -> None:
        super().__init__(graph, question, matched, work)
        lows = {w.low for w in question.words}
        mirrors = MIRROR - ({"both"} if "and" in lows else set())  # both oak and iron: what has the two
        self.mirror = sum(1 << w.bit for w in question.words if w.low in mirrors)
        self.of = {w.bit for w in question.words if w.low == "of"}
        self.spoken = np.array([bool(said.scores) for said in matched.said], np.bool_)
        unsaid = np.array([-sum(said.scores.values()) for said in matched.said], np.float64)
        self.rank = np.empty(len(unsaid), np.int64)
        self.rank[np.lexsort((graph.derived("rank of relations", lambda: _ranks(graph)), unsaid))] = range(len(unsaid))
        self.mutual = self_relations(graph)
        self.always = self.spoken | np.array([r.transitive or r.hierarchy for r in graph.relations], np.bool_)
        """Relations that are followed whatever they cost."""
        self.unsaid = graph.derived("least cost of ways", lambda: _least_costs(graph))

    def best_of(self, states: Sequence[State]) -> list[State]:
        """Return the states of a round that are retained."""
        return sorted(states, key=self.hope)[:_KEPT]

    def starts(self) -> Iterator[State]:
        """Yield the states of the names, classes and comparisons of the question."""
        for anchor in (a for a in (*self.matched.anchors, *self.matched.classes) if a.start):
            place = float(np.mean(bits_of(anchor.mask)))
            cost = anchor.cost + (costs.CLASS_FIRST if anchor.cls else 0.0)
            yield State(anchor.nodes, anchor.mask, cost, anchor.mask, place, 0.0, Move(anchor=anchor))
        for compared in self.question.compared:
            for nodes, mask, cost, relation in within(self.graph, self.matched, compared):
                anchor = Anchor(nodes, mask, cost, self.graph.relations[relation].text, cls=True)
                yield State(
                    nodes, mask, cost, 0, float(np.mean(bits_of(mask))), 0.0, Move(None, relation, False, anchor=anchor)
                )

    def steps(self, state: State, *, most: float) -> Iterator[State]:
        """Yield the states that relations lead to, with the words for them, and those that a class narrows down.

        Relations that no word says are not followed if that would cost more than ``most``.
        """
        amount = self._is_amount(state)
        for cls in self.matched.classes:
            if not (cls.mask & state.mask or amount):
                both = intersect(state.nodes, cls.nodes)
                if len(both):
                    move = Move(state, other=State(cls.nodes, cls.mask, 0, 0, 0, 0, Move(anchor=cls)))
                    cost = state.cost + cls.cost + self._apart(state.mask, cls.mask)
                    cost -= costs.CLASS_AFTER_UNSAID if self._unsaid(state) else 0.0
                    here = state.here | cls.mask
                    yield replace(state, nodes=both, mask=state.mask | cls.mask, cost=cost, here=here, move=move)
        if state.depth >= costs.ROUNDS:
            return
        counted = state.move.other is None and state.move.before is not None and (amount or self._numbers(state.nodes))
        nameless = self._mostly_nameless(state.nodes)
        for way in self._ways(state, most):
            number, forward = way >> 1, not way & 1
            if counted and not (number == state.move.relation and self.mirror & ~state.mask):
                continue
            relation = self.graph.relations[number]
            rows = (columns := relation.columns(forward)).rows(state.nodes)
            if not self.work.spend(min(len(state.nodes), len(columns.start)) + len(rows)):
                return
            ends = distinct(columns.end[rows], self.graph.size)
            yield from self._step(state, number, forward, ends, nameless=nameless)
            if forward and len(ends):
                yield from self._having(state, number, distinct(columns.start[rows], self.graph.size))
            if relation.transitive or (relation.hierarchy and number not in self.mutual):  # a place, not left of
                yield from self._closed(state, number, forward)

    def _ways(self, state: State, most: float) -> list[int]:
        """Return the ways on from a state (see :meth:`OwnGraph.around`) that cost no more than ``most``.

        A hub has thousands: the best are taken, those that the question says first, then those with most facts.
        """
        ways = self.graph.around(state.nodes)
        returns = ways == (state.move.relation << 1) + state.move.forward
        ways = ways[returns | self.always[ways >> 1] | (state.cost + self._least(state)[ways] <= most + _ROUNDING)]
        if len(ways) > MOST_WAYS:
            best = np.argsort(self.rank[ways >> 1], kind="stable")
            left = ways[best[MOST_WAYS:]] >> 1
            self.work.skip(len(left), int(np.count_nonzero(~self.spoken[left])))
            ways = np.sort(ways[best[:MOST_WAYS]])
        return [int(way) for way in ways]

    def _least(self, state: State) -> npt.NDArray[np.float64]:
        """Return the least cost of each way from a state if no word says it."""
        first = state.depth == 0 or state.move.closed
        least: npt.NDArray[np.float64] = self.unsaid[2 if self._mostly_nameless(state.nodes) else int(first)]
        return least

    def _closed(self, state: State, number: int, forward: bool) -> Iterator[State]:
        """Yield the states of following a hierarchy repeatedly: a place in an area lies in all areas around it."""
        last = state.move
        if last.closed or (last.relation == number and last.before is not None):
            return
        reached = np.union1d(state.nodes, self._reached(state, number, forward))
        if len(reached) <= costs.NODES:
            move = Move(state, number, forward, closed=True)
            yield replace(
                state,
                nodes=reached,
                cost=state.cost + (costs.UP if forward else costs.DOWN),
                here=0,
                move=move,
                depth=state.depth + 1,
            )

    def _reached(self, state: State, number: int, forward: bool) -> Ids:
        """Return what a relation leads to, what it leads to from there, and so on."""
        columns, new = self.graph.relations[number].columns(forward), state.nodes
        reached = np.zeros(self.graph.size, np.bool_)
        while len(new) and self.work.spend(len(new)):
            new = columns.leads(new)
            new = new[~reached[new]]
            reached[new] = True
        return np.flatnonzero(reached)

    def _step(self, state: State, number: int, forward: bool, ends: Ids, *, nameless: bool) -> Iterator[State]:
        """Yield the states that follow one relation from a state, with what unsaid relations and nodes cost."""
        move = Move(state, number, forward)
        back = state.move.relation == number and state.move.forward != forward and state.move.before is not None
        if back and not state.move.closed:
            yield from self._returned(state, ends, move)
            return
        nameless = nameless or self._mostly_nameless(ends)
        within = state.move.before if state.move.closed and not state.move.forward else state
        anchor = within.move.anchor if within is not None and within.depth == 0 else None
        first = not forward and anchor is not None and not anchor.cls
        unsaid = costs.UNSAID_NAMELESS if nameless else costs.UNSAID_MODIFIER if first else costs.UNSAID
        if nameless and forward and "value" in self.graph.relations[number].words:
            unsaid -= costs.VALUE
        said, own = self.matched.said[number], self.graph.relations[number]
        is_asked = number in self.mutual and (bool(said.scores) or self.question.want == "truth")
        if len(ends) <= costs.NODES and not is_asked and not was_visited(state, ends):
            here = state.here if first and state.depth == 0 and state.here & self.kinds else 0
            unsaid = min(unsaid, costs.UNSAID_NAMELESS) if here else unsaid
            yield replace(state, nodes=ends, cost=state.cost + unsaid, here=here, move=move, depth=state.depth + 1)
        if (
            own.transitive
            and not forward
            and not state.move.closed
            and len(every := self._reached(state, number, forward)) > len(ends)
        ):
            ends, move = every, replace(move, closed=True)
        free = [b for b in said.scores if not state.mask >> b & 1]
        groups = self._groups(free, number)
        near = sorted(groups, key=lambda g: min(abs(b - state.origin) for b in g))
        whole = [b for g in near for b in g]
        twice = any(self._are_two_steps(number, *pair) for pair in combinations(sorted(whole), 2))
        for cluster in [*near[:2], whole] if len(near) > 1 and not twice else near[:2]:
            if number in self.mutual:
                start, place = state.origin, max(cluster)
                asked = asked_direction(
                    own,
                    self.question.words,
                    place,
                    start,
                    after_step=state.depth > 0,
                    of_class=anchor is not None and anchor.cls,
                )
                if asked is not None and asked != forward:
                    continue
            mask = sum(1 << b for b in cluster)
            far = min(abs(b - state.origin) for b in cluster)
            parts = set().union(*(said.parts[b] for b in cluster))
            missing = max(0, len([w for w in self.graph.relations[number].words if len(w) > 2]) - len(parts))
            cost = costs.STEP + costs.STEP_UNLIKE * (1 - max(said.scores[b] for b in cluster))
            cost += costs.STEP_MISSING * min(3, missing) + costs.STEP_HEAD * is_headless(own, parts)
            if min(cluster) > state.origin:
                cost += costs.STEP_OF if max(cluster) + 1 in self.of else costs.STEP_AFTER
            cost += costs.STEP_AGENT * is_against(
                own, self.question.words, max(cluster), forward=forward, named_before=state.origin < max(cluster)
            )
            cost += costs.STEP_FARTHER * (cluster != near[0]) + (costs.STEP_BACK if far < state.far else 0.0)
            yield State(
                ends,
                state.mask | mask,
                state.cost + cost,
                mask,
                state.origin,
                far,
                move,
                depth=state.depth + 1,
            )

    def _having(self, state: State, number: int, nodes: Ids) -> Iterator[State]:
        """Yield nameless nodes with a relation that is only mentioned: the equity *of companies* in dollars."""
        if state.move.before is None or not len(nodes) or self._nameless(nodes).mean() <= 0.5:
            return
        for cluster in self._groups([b for b in self.matched.said[number].scores if not state.mask >> b & 1], number):
            mask = sum(1 << b for b in cluster)
            yield replace(state, nodes=nodes, mask=state.mask | mask, cost=state.cost + costs.HAVING)

    def _returned(self, state: State, ends: Ids, move: Move) -> Iterator[State]:
        """Yield other things that share what a relation leads to, by going there and back."""
        others = subtract(ends, state.move.before.nodes) if state.move.before is not None else ends
        if not len(others):
            return
        free = self.mirror & ~state.mask
        number = move.relation
        spoken = [b for b in self.matched.said[number].scores if not state.mask >> b & 1]
        groups = sorted(self._groups(spoken, number), key=lambda g: min(abs(b - state.origin) for b in g))
        mask = sum(1 << b for b in groups[0]) if groups else 0
        several = bin(state.here).count("1") > 1
        said = free or (mask and state.here)
        cost = costs.SHARED if said else costs.SHARED_UNSAID if mask or several else costs.UNSAID
        nodes = others if free or len(state.move.before.nodes) == 1 else ends  # type: ignore[union-attr]
        for gained in {mask, 0}:
            price = cost if gained == mask else max(cost, costs.SHARED_UNSAID)
            yield State(
                nodes,
                state.mask | free | gained,
                state.cost + price,
                gained,
                state.origin,
                state.far,
                move,
                depth=state.depth + 1,
            )

    def _groups(self, bits: Sequence[int], number: int) -> list[list[int]]:
        """Return groups of bits with only function words between them."""
        parts = self.matched.said[number].parts
        groups: list[list[int]] = []
        for bit in sorted(bits):
            between = range(groups[-1][-1] + 1, bit) if groups else ()
            together = groups and all(self.stops >> b & 1 for b in between) and len(between) <= 1
            weak = groups and max(self.matched.said[number].scores[b] for b in (bit, groups[-1][-1])) < 1
            if (
                together
                and not self._are_two_steps(number, groups[-1][-1], bit)
                and (not len(between) or weak or not parts[bit] & parts[groups[-1][-1]])
            ):
                groups[-1].append(bit)
            else:
                groups.append([bit])
        return groups

    def _are_two_steps(self, number: int, one: int, other: int) -> bool:
        """Return True if two words for one thing ask for two steps: "Ada's husband's wife", "child of her daughter"."""
        said, words = self.matched.said[number], self.question.words[one:other]
        mine, its = ({singular(w) for part in said.parts[bit] for w in part.split()} for bit in (one, other))
        is_plain = max(said.scores[one], said.scores[other]) >= 1  # a "place of origin" is one step to a birthplace
        return bool(mine & its) and any(w.owner or (w.low == "of" and is_plain) for w in words)

    def _unsaid(self, state: State) -> bool:
        """Return True if no word says the last step, between named things; a class after it does."""
        move = state.move
        if move.before is None or move.other is not None or state.here:
            return False
        return state.cost - move.before.cost > costs.UNSAID_FROM

    def joined(self, one: State, other: State, *, most: float) -> State | None:
        """Return the state of the things that two parts of the question both mean, or None."""
        if one.mask & other.mask or one is other:
            return None
        if len(one.nodes) == 1 and len(other.nodes) == 1 and one.move.anchor and other.move.anchor:
            return None
        cost = one.cost + other.cost + costs.JOIN
        if cost > most:
            return None
        check(min(len(one.nodes), len(other.nodes)))
        cost += self._apart(one.mask, other.mask)
        both = intersect(one.nodes, other.nodes)
        if not len(both):
            return None
        first = one if one.cost >= other.cost else other
        second = other if first is one else one
        return State(
            both,
            one.mask | other.mask,
            cost,
            one.here | other.here,
            first.origin,
            max(one.far, other.far),
            Move(first, other=second),
            depth=max(one.depth, other.depth),
        )

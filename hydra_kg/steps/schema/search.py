"""The cheapest tree of names, classes and relations that accounts for the words of a question.

This is one room because every step of the search looks at the same costs, words and bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from heapq import heappush, heappushpop
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.steps.executions import Executions
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.directions import (
    asked_direction,
    is_against,
    is_headless,
    nouns_away,
    self_relations,
)
from hydra_kg.steps.schema.matching import Anchor, Matches
from hydra_kg.steps.schema.numbers import extreme, within
from hydra_kg.steps.schema.question import MIRROR, SchemaQuestion
from hydra_kg.util.cancelling import check, looked_at
from hydra_kg.util.columns import contains, distinct, intersect, subtract

FLAGS: Final = list_words("yes_in_cells") | list_words("no_in_cells")
"""Words for yes and no as cells of tables hold them."""

MOST_WAYS: Final = 200
"""Relations, in either direction, that are followed from one partial reading."""
_KEPT: Final = 3 * costs.BEAM
"""Partial readings that a round keeps."""
_ROUNDING: Final = 1e-9
_SMALL: Final = 1_000
"""Things of a set that is its own key."""


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """How a state was reached: ``at`` an anchor, ``by`` a relation (``closed``: repeatedly), or ``with`` another."""

    before: State | None = None
    relation: int = -1
    forward: bool = True
    closed: bool = False
    other: State | None = None
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The things that a part of the question means.

    Args:
        nodes: The things.
        mask: The bits of the words that are accounted for.
        cost: What the state costs.
        here: The bits of the words that say what these things are.
        origin: The bit from which words go outward.
        far: How far away from it the last word was.
        move: The last step.
    """

    nodes: Ids
    mask: int
    cost: float
    here: int
    origin: float
    far: float
    move: Move
    mirrored: bool = False
    ambiguous: int = 1
    depth: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SchemaReading:
    """A reading of the whole question, what it costs and what it leaves unexplained."""

    state: State
    total: float
    left: int
    nodes: Ids
    words: str = ""
    by: str = ""
    is_dated: bool = False
    """What a superlative orders by, and whether these are dates."""


def readings(
    graph: OwnGraph, question: SchemaQuestion, matched: Matches, work: Executions | None = None
) -> list[SchemaReading]:
    """Return all readings that were found, cheapest first, one for each set of answers.

    ``work`` limits the search. If it ends the search, the readings found so far are returned.
    """
    search = _Search(graph, question, matched, work or Executions())
    pool: dict[tuple[int, bytes], State] = {}
    frontier = [s for s in search.starts() if _keep(pool, s)]
    bound = costs.BOUND
    for _ in range(costs.ROUNDS):
        bound = min([bound, *(f.total + costs.SLACK for s in frontier for f in search.whole(s))])
        grown: list[State] = []
        lowest: list[float] = []  # a heap of the negative hopes of the states that best_of will return
        for state in looked_at(sorted(frontier, key=search.hope)[: costs.BEAM], every=1):
            room = -lowest[0] - (search.hope(state) - state.cost) if len(lowest) == _KEPT else bound
            for one in (s for s in search.steps(state, most=min(bound, room)) if s.cost <= bound):
                grown.append(one)
                (heappushpop if len(lowest) == _KEPT else heappush)(lowest, -search.hope(one))
        grown = search.best_of(grown)
        new = [s for s in grown if _keep(pool, s)]
        partners = sorted((s for s in pool.values() if s.cost <= bound), key=search.hope)[: costs.BEAM]
        joins = [
            joined
            for s in (new or frontier)
            for p in partners
            if not s.mask & p.mask and s.cost + p.cost + costs.JOIN <= bound  # most pairs fail here
            if (joined := search.joined(s, p, most=bound)) is not None
        ]
        new += [s for s in search.best_of(joins) if _keep(pool, s)]
        if not new:
            break
        frontier = new
    return search.finished(pool.values())


def _keep(pool: dict[tuple[int, bytes], State], state: State) -> bool:
    key = (state.mask, _digest(state.nodes))
    if key in pool and (pool[key].cost, -bin(pool[key].here).count("1")) <= (state.cost, -bin(state.here).count("1")):
        return False
    pool[key] = state
    return True


def _digest(nodes: Ids) -> bytes:
    """Return a key that tells sets of things apart.

    It is the set itself or, for a large set, a digest of 16 bytes, because a search has hundreds of sets.
    """
    data = np.ascontiguousarray(nodes).data
    return bytes(data) if len(nodes) <= _SMALL else blake2b(data, digest_size=16).digest()


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _was(state: State, nodes: Ids) -> bool:
    """Return True if these are things from which the way came."""
    todo: list[State | None] = [state]
    while todo:
        one = todo.pop()
        if one is not None:
            if len(one.nodes) == len(nodes) and np.array_equal(one.nodes, nodes):
                return True
            todo += [one.move.before, one.move.other]
    return False


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


def is_guessed(state: State) -> bool:
    """Return True if a reading follows a relation that no word of the question asks for."""
    move = state.move
    if move.before is None:
        return False
    if move.other is not None:
        return is_guessed(move.before) or is_guessed(move.other)
    return (state.mask == move.before.mask and not move.closed) or is_guessed(move.before)


def _just_named(state: State) -> bool:
    """Return True if no relation led to these things: the question names them."""
    move = state.move
    if move.other is not None and move.before is not None:
        return _just_named(move.before) or _just_named(move.other)
    return move.before is None and move.anchor is not None and not move.anchor.cls and len(move.anchor.nodes) == 1


class _Search:
    """One search: what is the same in all of its steps."""

    def __init__(self, graph: OwnGraph, question: SchemaQuestion, matched: Matches, work: Executions) -> None:
        self.graph, self.question, self.matched, self.work = graph, question, matched, work
        self.mirror = sum(1 << w.bit for w in question.words if w.low in MIRROR)
        lows = [w.low for w in question.words]
        self.same = sum(1 << w.bit for n, w in enumerate(question.words) if w.low == "same" and "as" in lows[n:])
        self.rows = graph.rows
        self.of = {w.bit for w in question.words if w.low == "of"}
        self.kinds = sum({a.mask for a in matched.anchors if a.mask & question.head and self._is_kind(a)})
        relations = graph.relations
        self.spoken = np.array([bool(said.scores) for said in matched.said], np.bool_)
        unsaid = np.array([-sum(said.scores.values()) for said in matched.said], np.float64)
        self.rank = np.empty(len(unsaid), np.int64)
        self.rank[np.lexsort((graph.derived("rank of relations", lambda: _ranks(graph)), unsaid))] = range(len(unsaid))
        self.stops = sum(1 << w.bit for w in question.words if w.stop)
        self.mutual = self_relations(graph)
        self.needed = question.needed
        self._events: dict[State, bool] = {}
        self._costs: dict[int, float] = {}
        self._aparts: dict[tuple[int, int], float] = {}
        self.always = self.spoken | np.array([r.transitive or r.hierarchy for r in relations], np.bool_)
        """Relations that are followed whatever they cost."""
        self.unsaid = graph.derived("least cost of ways", lambda: _least_costs(graph))

    def _is_kind(self, anchor: Anchor) -> bool:
        """Return True if named things have the kind that is asked for as a value.

        An example is a place of the kind country.
        """
        if self.question.words[anchor.mask.bit_length() - 1].cost >= costs.NAME_WORD:
            return False
        relations = self.graph.relations
        ways = self.graph.around(anchor.nodes)
        some = [relations[n].back.leads(anchor.nodes) for n in (ways[ways % 2 == 1] // 2).tolist()]
        things = np.concatenate([s for s in some if len(s)] or [np.zeros(0, np.int64)])
        return len(things) > 1 and bool(self._nameless(things).mean() < 0.5)

    def hope(self, state: State) -> float:
        """Return the estimated cost of a whole reading that may come of a partial one; it guides the search."""
        return state.cost + costs.HOPE * self._cost_of(self.needed & ~state.mask)

    def _cost_of(self, mask: int) -> float:
        """Return the cost of not accounting for some words."""
        if mask not in self._costs:
            self._costs[mask] = sum(self.matched.costs.get(b, 0.0) for b in _bits(mask))
        return self._costs[mask]

    def best_of(self, states: Sequence[State]) -> list[State]:
        """Return the states of a round that are retained."""
        return sorted(states, key=self.hope)[:_KEPT]

    def starts(self) -> Iterator[State]:
        """Yield the states of the names, classes and comparisons of the question."""
        for anchor in (a for a in (*self.matched.anchors, *self.matched.classes) if a.start):
            place = float(np.mean(_bits(anchor.mask)))
            cost = anchor.cost + (costs.CLASS_FIRST if anchor.cls else 0.0)
            here = anchor.mask
            many = 1 if anchor.cls else len(anchor.nodes)
            yield State(anchor.nodes, anchor.mask, cost, here, place, 0.0, Move(anchor=anchor), ambiguous=many)
        for compared in self.question.compared:
            for nodes, mask, cost, relation in within(self.graph, self.matched, compared):
                anchor = Anchor(nodes, mask, cost, self.graph.relations[relation].text, cls=True)
                yield State(
                    nodes, mask, cost, 0, float(np.mean(_bits(mask))), 0.0, Move(None, relation, False, anchor=anchor)
                )

    def steps(self, state: State, *, most: float) -> Iterator[State]:
        """Yield the states that relations lead to, with the words for them, and those that a class narrows down.

        Relations that no word says are not followed if that would cost more than ``most``.
        """
        for cls in self.matched.classes:
            if not cls.mask & state.mask:
                both = intersect(state.nodes, cls.nodes)
                if len(both):
                    move = Move(state, other=State(cls.nodes, cls.mask, 0, 0, 0, 0, Move(anchor=cls)))
                    cost = (
                        state.cost
                        + cls.cost
                        + self._apart(state.mask, cls.mask)
                        - (costs.CLASS_AFTER_UNSAID if self._unsaid(state) else 0.0)
                    )
                    here = state.here | cls.mask
                    yield replace(state, nodes=both, mask=state.mask | cls.mask, cost=cost, here=here, move=move)
        if state.depth >= costs.ROUNDS:
            return
        counted = state.move.before is not None and state.move.other is None and self._numbers(state.nodes)
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

    def _numbers(self, nodes: Ids) -> bool:
        """Return True if these are numbers, or yes and no: that another thing has the same number says nothing."""
        if not (nodes >= len(self.graph.ids)).all():
            return False
        return self._flags(nodes) or bool((~np.isnan(self.graph.numbers[nodes])).all())

    def _flags(self, nodes: Ids) -> bool:
        """Return True if these are yes, no or both."""
        return len(nodes) <= 2 and all(self.graph.name(place).casefold() in FLAGS for place in nodes.tolist())

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
        if len(ends) <= costs.NODES and not is_asked and not _was(state, ends) and not self._flags(ends):
            here = state.here if first and state.depth == 0 and state.here & self.kinds else 0
            unsaid = min(unsaid, costs.UNSAID_NAMELESS) if here else unsaid
            yield replace(
                state, nodes=ends, cost=state.cost + unsaid, here=here, move=move, mirrored=False, depth=state.depth + 1
            )
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
                mask & ~nouns_away(own, self.question.words, cluster, forward=forward),
                state.origin,
                far,
                move,
                ambiguous=state.ambiguous,
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
                True,
                state.ambiguous,
                state.depth + 1,
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

    def _nameless(self, nodes: Ids) -> npt.NDArray[np.bool_]:
        count = len(self.graph.ids)
        return np.where(nodes < count, self.graph.nameless[np.minimum(nodes, count - 1)], False)

    def _mostly_nameless(self, nodes: Ids) -> bool:
        return bool(self._nameless(nodes).mean() > 0.5)

    def _apart(self, one: int, other: int) -> float:
        """Return the cost of the words that lie between two parts of the question, which count up to three."""
        if (one, other) not in self._aparts:
            a, b = _bits(one), _bits(other)
            low, high = min(((x, y) for x in a for y in b), key=lambda pair: abs(pair[0] - pair[1]))
            between = range(min(low, high) + 1, max(low, high))
            both = one | other | self.stops
            self._aparts[one, other] = costs.APART * min(3, sum(not both >> k & 1 for k in between))
        return self._aparts[one, other]

    def whole(self, state: State) -> list[SchemaReading]:
        """Return the readings that a state is, if it accounts for all words."""
        return list(self._finish(state)) if self._cost_of(self.needed & ~state.mask) < costs.COMPLETE else []

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
        cost += costs.TWO_EVENTS * (self._of_event(one) and self._of_event(other))
        both = intersect(one.nodes, other.nodes)
        if not len(both):
            return None
        many = min(one.ambiguous, other.ambiguous)
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
            ambiguous=many,
            depth=max(one.depth, other.depth),
        )

    def _of_event(self, state: State) -> bool:
        """Return True if the last step came from nodes without names, such as an event with a date and a place."""
        if state not in self._events:
            before = state.move.before
            named = before is not None and state.move.other is None and not self._numbers(state.nodes)
            self._events[state] = named and before is not None and self._mostly_nameless(before.nodes)
        return self._events[state]

    def finished(self, states: Iterable[State]) -> list[SchemaReading]:
        """Return the whole readings, cheapest first."""
        found: dict[bytes, SchemaReading] = {}
        for state in looked_at(states, every=10):
            for done in self._finish(state):
                key = _digest(done.nodes)
                if key not in found or done.total < found[key].total:
                    found[key] = done
        return sorted(found.values(), key=lambda f: f.total)

    def _finish(self, state: State) -> Iterator[SchemaReading]:
        needed, top = self.needed, self.question.superlative
        if state.move.anchor is not None and not state.move.anchor.cls:
            return
        if self.question.want == "truth" and (needed & ~state.mask or state.move.anchor is not None):
            return
        if self.same & ~state.mask:  # "in the same class as Mia" asks for others, not for her class
            return
        mask, nodes, cost, chosen = state.mask, state.nodes, state.cost, None
        if top is not None:
            chosen = extreme(self.graph, top, self.matched, nodes, mask=mask, work=self.work)
            if chosen is None:
                return
            nodes = chosen.nodes
            mask, cost = mask | chosen.mask, cost + chosen.cost
        left = needed & ~mask
        total = cost + self._cost_of(left)
        head = self.question.head
        if head and not state.here & head and top is None:
            named = any(a.mask & head for a in self.matched.anchors) and not (mask & head and head & self.kinds)
            lenient = (not self.graph.typed and not mask & head) or named
            total += costs.HEAD_UNTYPED if lenient else costs.HEAD
        total += costs.ECHO * self._named_itself(state)
        total += self._misfit(nodes)
        if len(state.nodes) and self._nameless(nodes).mean() > 0.5:
            total += costs.NAMELESS
        by = (chosen.words, chosen.by, chosen.is_dated) if chosen is not None else ("", "", False)
        yield SchemaReading(state, total, left, nodes, *by)

    def _named_itself(self, state: State) -> bool:
        """Return True if the answers are what the question names, which it therefore does not ask for."""
        move = state.move
        if move.before is not None and move.relation >= 0:
            labels = {"name", "label", "title"} & set(self.graph.relations[move.relation].words)
            return bool(labels) and self._named_itself(move.before)
        return self.question.want == "things" and move.other is not None and _just_named(state)

    def _misfit(self, nodes: Ids) -> float:
        """Return the cost of answers that are not of the kind that the question word asks for."""
        asking, count = self.question.asking, len(self.graph.ids)
        some = nodes[:20]
        literal = float((some >= count).mean())
        numeric = float((~np.isnan(self.graph.numbers[some])).mean())
        lows = [w.low for w in self.question.words[:4]]
        of_year = any(a in ("which", "what") and b == "year" for a, b in pairwise(lows))
        if asking == "when" or of_year:
            return costs.NOT_A_DATE * (1 - numeric)
        if asking in ("who", "whom"):
            row = 0.0 if self.graph.typed else float(contains(self.rows, some).mean())
            return max(costs.A_NUMBER * numeric, costs.A_LITERAL * literal if self.graph.typed else costs.A_ROW * row)
        return costs.A_NUMBER * numeric if asking == "where" else 0.0

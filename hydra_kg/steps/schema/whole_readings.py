"""Judge partial readings of a question: what they may still cost, and which whole readings they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.executions import Executions
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.numeric_properties import extreme
from hydra_kg.steps.schema.partial_readings import SchemaReading, State, bits_of, digest, is_just_named
from hydra_kg.steps.schema.question_words import SchemaQuestion
from hydra_kg.steps.schema.schema_matching import Anchor, Matches
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import contains

YES: Final = list_words("yes_in_cells")
FLAGS: Final = YES | list_words("no_in_cells")
"""Words for yes and no as cells of tables hold them."""

_EXCEPTIONS: Final = 0.1
"""Share of values without a number that a relation of numbers may have."""
_LIKE: Final = frozenset(("as", "like", "with", "of"))
"""Words before what something is the same as. Without them, no path says what is alike: wrote and acted in the *same*
film."""


def are_flags(graph: OwnGraph, nodes: Ids) -> bool:
    """Return True if these are yes, no or both."""
    return len(nodes) <= 2 and all(graph.name(place).casefold() in FLAGS for place in nodes.tolist())


def _leads_to_numbers(graph: OwnGraph) -> npt.NDArray[np.bool_]:
    """Return which relations lead to numbers, up to a few exceptions."""
    ends = (relation.there.end for relation in graph.relations)
    return np.array([len(e) > 0 and np.isnan(graph.numbers[e]).mean() < _EXCEPTIONS for e in ends], np.bool_)


class WholeReadings:
    """The parts of a search that look at one reading: its costs, its things, and what it is as a whole."""

    def __init__(self, graph: OwnGraph, question: SchemaQuestion, matched: Matches, work: Executions) -> None:
        self.graph, self.question, self.matched, self.work = graph, question, matched, work
        lows = [w.low for w in question.words]
        alike = not _LIKE.isdisjoint(lows)
        self.same = sum(1 << w.bit for w in question.words if w.low == "same" and alike)
        self.joins = "same" in lows and question.want != "truth" and not alike
        self.rows = graph.rows
        self.kinds = sum({a.mask for a in matched.anchors if a.mask & question.head and self._is_kind(a)})
        self.needed = question.needed
        self.stops = sum(1 << w.bit for w in question.words if w.stop)
        self._costs: dict[int, float] = {}
        self._aparts: dict[tuple[int, int], float] = {}

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
            self._costs[mask] = sum(self.matched.costs.get(b, 0.0) for b in bits_of(mask))
        return self._costs[mask]

    def _nameless(self, nodes: Ids) -> npt.NDArray[np.bool_]:
        count = len(self.graph.ids)
        return np.where(nodes < count, self.graph.nameless[np.minimum(nodes, count - 1)], False)

    def _mostly_nameless(self, nodes: Ids) -> bool:
        return bool(self._nameless(nodes).mean() > 0.5)

    def _apart(self, one: int, other: int) -> float:
        """Return the cost of the words that lie between two parts of the question, which count up to three."""
        if (one, other) not in self._aparts:
            a, b = bits_of(one), bits_of(other)
            low, high = min(((x, y) for x in a for y in b), key=lambda pair: abs(pair[0] - pair[1]))
            between = range(min(low, high) + 1, max(low, high))
            both = one | other | self.stops
            self._aparts[one, other] = costs.APART * min(3, sum(not both >> k & 1 for k in between))
        return self._aparts[one, other]

    def _numbers(self, nodes: Ids) -> bool:
        """Return True if these are numbers, or yes and no: that another thing has the same number says nothing."""
        if not (nodes >= len(self.graph.ids)).all():
            return False
        return are_flags(self.graph, nodes) or bool((~np.isnan(self.graph.numbers[nodes])).all())

    def _is_amount(self, state: State) -> bool:
        """Return True for numbers of a relation that leads to numbers: the year 2010, not a film of that name."""
        number = state.move.relation if state.move.forward else -1
        if number < 0 or np.isnan(self.graph.numbers[state.nodes]).any():
            return False
        return bool(self.graph.derived("relations of numbers", lambda: _leads_to_numbers(self.graph))[number])

    def whole(self, state: State) -> list[SchemaReading]:
        """Return the readings that a state is, if it accounts for all words."""
        return list(self._finish(state)) if self._cost_of(self.needed & ~state.mask) < costs.COMPLETE else []

    def finished(self, states: Iterable[State]) -> list[SchemaReading]:
        """Return the whole readings, cheapest first."""
        found: dict[bytes, SchemaReading] = {}
        for state in check_between(states, every=10):
            for done in self._finish(state):
                key = digest(done.nodes)
                if key not in found or done.total < found[key].total:
                    found[key] = done
        return sorted(found.values(), key=lambda f: f.total)

    def _finish(self, state: State) -> Iterator[SchemaReading]:
        needed, top = self.needed, self.question.superlative
        if state.move.anchor is not None and not state.move.anchor.cls:
            return
        if self.question.want == "truth" and (
            needed & ~state.mask or state.move.anchor is not None or _goes_on_from_unsaid_hop(state)
        ):
            return
        if self.joins or self.same & ~state.mask:  # "in the same class as Mia" asks for others, not for her class
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
        return self.question.want == "things" and move.other is not None and is_just_named(state)

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


def _goes_on_from_unsaid_hop(state: State) -> bool:
    """Return True if a relation is followed from what a relation led to that no word of the question says.

    Somebody who holds an office where another person is treasurer is no treasurer.
    """
    parts = [part for part in (state.move.before, state.move.other) if part is not None]
    if state.move.relation >= 0 and any(map(_is_unsaid_hop, parts)):
        return True
    return any(map(_goes_on_from_unsaid_hop, parts))


def _is_unsaid_hop(state: State) -> bool:
    before = state.move.before
    return state.move.relation >= 0 and before is not None and state.mask == before.mask

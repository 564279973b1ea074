"""A question read in the words of a store's own schema: answers, with the facts that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Evidence, Node
from hydra_kg.execution.graph_columns import FactSource
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.execution.provenance import Provenance
from hydra_kg.extract.word_classes import BE
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.plan.model import Root, Step, Things
from hydra_kg.plan.query_wording import words as in_words
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.executions import Executions
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.answer_class import AskedClass, counts_by_name, counts_numbers, members_called
from hydra_kg.steps.schema.partial_readings import SchemaReading, State, is_guessed
from hydra_kg.steps.schema.question_words import SchemaQuestion, asked, with_own_prepositions
from hydra_kg.steps.schema.schema_matching import Matches, matches
from hydra_kg.steps.schema.schema_search import readings
from hydra_kg.steps.schema.single_fact import read_single_fact
from hydra_kg.steps.schema.to_query import schema_query, things_query
from hydra_kg.steps.schema.whole_readings import YES, are_flags
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.number_columns import intersect, sort_distinct, subtract

_COMPUTED: Final = list_words("mean total share") | {"per", "each", "either"}
"""Words that only a query over columns carries out (:mod:`hydra_kg.steps.queries`): where that gives no answer about
tables, these are not passed over."""
_COMPARING: Final = list_words("compared_by")
"""Words that compare, which count as such where no number stands behind them."""


def read_in_own_words(graph: OwnGraph, context: Context) -> Executed | None:
    """Return the answers of the cheapest reading of the question.

    Returns None if the words of the graph do not account for the question, or if sources disagree.
    """
    stored = graph.stored or graph
    labels = context.once(("labels of relations", stored), lambda: _labels(stored))
    question = with_own_prepositions(asked(context.question), labels)
    compared = sum({c.mask for c in question.compared})
    spoken = {word for relation in graph.relations for word in relation.words} if not graph.tabular else set()
    named = {w.low for w in question.words if w.start and w.text[:1].isupper()}  # the name Per is not "per"
    computed = any(w.low in _COMPUTED - spoken - named for w in question.words)
    comparing = any(w.low in _COMPARING and not compared >> w.bit & 1 for w in question.words)
    if question.denies or computed or (graph.tabular and comparing):
        return None
    matched, work = _matches(graph, question, context), Executions()
    is_single, single = read_single_fact(graph, question, matched, context)
    if is_single:
        return single
    every = readings(graph, question, matched, work)
    if work.exhausted:
        context.observers.note(work.note)
    fits = _fits_kind(graph, question, matched)
    found = (f for f in every if fits(f))
    best = next(found, None)
    if best is None or best.total > costs.MOST:
        return None
    unsaid = [w.text for w in question.words if best.left >> w.bit & 1 and matched.costs[w.bit] > costs.LEFT]
    if sum(matched.costs[w.bit] for w in question.words if best.left >> w.bit & 1) > costs.MOST_LEFT:
        return None
    other = next((f for f in found if len(subtract(f.nodes, best.nodes))), None)
    close = other is not None and other.total - best.total < costs.LEAD
    if close and best.total > costs.LEAD_FROM:
        return None
    if question.head & best.left:
        return None  # what is asked for has no place in the reading
    if counts_by_name(question, best.state) or counts_numbers(graph, question, best.state):
        return None
    things = things_query(graph, question, best.state)
    done = _executed(context, _Read(graph, question, best, things), confidence_in(best, close=close), tuple(unsaid))
    if done is None:
        return None
    light = [w.text for w in question.words if best.left >> w.bit & 1 and not w.stop] if not unsaid else []
    missed = [work.words] if work.may_have_missed(guessed=bool(unsaid) or is_guessed(best.state)) else []
    return replace(done, in_doubt=(*done.in_doubt, *light, *missed))


def _labels(graph: OwnGraph) -> frozenset[str]:
    """Return what the relations of a graph are called, without forms of "be"."""
    return frozenset(" ".join(w for w in fold(relation.text).split() if w not in BE) for relation in graph.relations)


def _matches(graph: OwnGraph, question: SchemaQuestion, context: Context) -> Matches:
    """Return what the words of a question may mean."""
    space = context.space
    return matches(graph, question, space.embedder.embed, keep=space.keep)


def _fits_kind(graph: OwnGraph, question: SchemaQuestion, matched: Matches) -> Callable[[SchemaReading], bool]:
    """Return a test whether some answer of a reading is of the class asked for, and not all are of other kinds.

    "Which town" asks for no orchard, and "who" for no film.
    """
    kinds = [c.nodes for c in matched.classes if c.mask == question.head and c.cost <= costs.CLASS_NAME]
    every = sort_distinct(np.concatenate(kinds)) if question.want == "things" and kinds else None
    wanted = AskedClass(graph, question)

    def fits(reading: SchemaReading) -> bool:
        is_member = every is None or bool(len(intersect(reading.nodes, every)))
        return is_member and not wanted.excludes(reading.nodes)

    return fits


def confidence_in(reading: SchemaReading, *, close: bool = False) -> float:
    """Return the confidence in a reading of this cost, 0 to 1; ``close``: other readings cost hardly more."""
    sure = costs.CONFIDENCE - costs.CONFIDENCE_COST * max(0.0, reading.total)
    return round(max(costs.CONFIDENCE_LEAST, sure - (costs.CONFIDENCE_CLOSE if close else 0.0)), 4)


def other_class(text: str, graph: OwnGraph, nodes: Sequence[int]) -> str:
    """Return the class of a typed graph that a question asks for by name ("which suppliers"), if no node is of it.

    Returns "" if some of the ``nodes`` are of this class, or if the question names no class.
    """
    question = asked(text)
    head = next((w for w in question.words if 1 << w.bit == question.head), None)
    members = members_called(graph, singular(head.low)) if head is not None else None
    known = [place for node in nodes if (place := graph.place_of(node)) is not None]
    if members is None or not known or head is None:
        return ""
    return "" if np.isin(known, members).any() else head.text


@dataclass(frozen=True, slots=True)
class _Read:
    graph: OwnGraph
    question: SchemaQuestion
    found: SchemaReading
    things: Things
    """What its things are, before one of them is chosen or they are counted."""

    @property
    def is_true(self) -> bool | None:
        """Return what a question of yes or no is answered; None if some of the values that it asks for deny it."""
        nodes = self.found.nodes
        said = {self.graph.name(place).casefold() in YES for place in nodes.tolist()}
        return True if not are_flags(self.graph, nodes) else said.pop() if len(said) == 1 else None

    @property
    def query(self) -> Root:
        """Return what the reading computes."""
        return schema_query(self.graph, self.question, self.found, self.things)


def _executed(context: Context, read: _Read, confidence: float, unsaid: tuple[str, ...]) -> Executed | None:
    graph, found = read.graph, read.found
    if read.question.want == "truth" and read.is_true is None:
        return None
    shown = found.nodes.tolist()[: context.settings.answering.max_answers]
    answers, ends = _answers(context, read, shown, confidence)
    provenance = Provenance(FactSource(graph), read.things)
    routes = [provenance.legs(place) for place in shown]
    evidence = evidence_for(context, list(zip(routes, ends, strict=True)), relevance=confidence)
    if _shared_with_others(graph, found.state) or (read.question.want == "things" and _disagree(evidence)):
        return None
    counted = f"{len(found.nodes)} counted: {in_words(read.things)}" if read.question.want == "count" else ""
    conclusion = uncontested(answers, evidence, computation=found.words or counted)
    return Executed(conclusion, _steps(read), confidence, unsaid, "", True, query=read.query)


def _steps(read: _Read) -> tuple[Step, ...]:
    """Return what was understood and, if a superlative asks for one of these things, which one it is."""
    found, question = read.found, read.question
    after = len(found.nodes)
    if question.superlative is None:
        truth = question.want == "truth"
        return (
            Step(
                "Words",
                f"{in_words(read.query if truth else read.things)}: {_truth(read) if truth else after}",
                0,
                after,
            ),
        )
    before = len(found.state.nodes)
    return Step("Words", f"{in_words(read.things)}: {before}", 0, before), Step("First", found.words, before, after)


def _truth(read: _Read) -> str:
    return "yes" if read.is_true else "no"


def _disagree(evidence: Sequence[Evidence]) -> bool:
    """Return True if several answers are different sources' values for one thing, which the strategy has to weigh."""
    last = [e.path.hops[-1] for e in evidence if e.path.hops]
    said = [frozenset(f.source.name for f in hop.facts) for hop in last]
    one = len({hop.subject.name for hop in last}) == 1 and all(hop.forward for hop in last)
    return one and len(said) > 1 and not frozenset.intersection(*said)


def _shared_with_others(graph: OwnGraph, state: State) -> bool:
    """Return True if other graphs state something of a thing that the question names; all of them then answer."""
    move = state.move
    named = move.anchor is not None and not move.anchor.cls and np.isin(move.anchor.nodes, graph.shared).any()
    return bool(named) or any(_shared_with_others(graph, s) for s in (move.before, move.other) if s is not None)


def _answers(
    context: Context, read: _Read, shown: list[int], confidence: float
) -> tuple[tuple[AnswerValue, ...], list[tuple[Node, ...]]]:
    graph, want = read.graph, read.question.want
    numeric = len(shown) == 1 and not np.isnan(graph.numbers[shown[0]])
    if want == "truth" or (want == "count" and not numeric):
        name = _truth(read) if want == "truth" else str(len(read.found.nodes))
        literal = f'"{str(bool(read.is_true)).lower()}"^^xsd:boolean' if want == "truth" else f'"{name}"^^xsd:integer'
        return (AnswerValue(name, None, literal, (), confidence),), [(literal_node(literal),)] * len(shown)
    things, values, nodes = graph.things(shown, context.stored.entities), [], []
    for place in shown:
        if (thing := things.get(place)) is not None:
            values.append(AnswerValue(thing.node.name, thing.node, None, thing.keys, confidence))
            nodes.append(thing.node)
        else:
            nodes.append(literal_node(graph.literals[place - len(graph.ids)]))
            values.append(AnswerValue(nodes[-1].name, None, nodes[-1].key, (), confidence))
    return tuple(values), [(n,) for n in nodes]

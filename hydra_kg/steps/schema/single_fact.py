"""Questions that one fact answers: what a thing is, by its definition, and whether a yes-or-no property is true."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue
from hydra_kg.execution.evidence_hops import leg_of
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.plan.model import Named, Step, Value
from hydra_kg.plan.query_wording import words
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.question_words import SchemaQuestion
from hydra_kg.steps.schema.schema_matching import Anchor, Matches

_WHAT_IS: Final = ("what is", "what are", "who is", "who was", "what was", "define")
_TELLING: Final = ("definition", "description", "abstract", "comment")
"""Relations whose values say what a thing is, best first."""
_TRUTHS: Final = {'"true"^^xsd:boolean': "yes", '"false"^^xsd:boolean': "no"}


def read_single_fact(
    graph: OwnGraph, question: SchemaQuestion, matched: Matches, context: Context
) -> tuple[bool, Executed | None]:
    """Answer "What is an eel?" and "Is Tuna deprecated?"; False for other questions, None if unstated."""
    for anchor in matched.anchors:
        if anchor.cls or len(anchor.nodes) != 1 or anchor.nodes[0] >= len(graph.ids):
            continue
        rest = question.needed & ~anchor.mask
        place = int(anchor.nodes[0])
        if question.want == "truth" and rest:
            flags = _flags(graph, matched, rest)
            if not flags:
                continue
            found = next((one for number in flags if (one := _flag(graph, number, place)) is not None), None)
            return True, None if found is None else _executed(graph, context, anchor, *found)
        if not rest and question.want == "things" and " ".join(w.low for w in question.words).startswith(_WHAT_IS):
            found = _definition(graph, place)
            if found is not None:
                return True, _executed(graph, context, anchor, *found)
    return False, None


def _definition(graph: OwnGraph, place: int) -> tuple[int, int, str] | None:
    """Return the relation, the place and the text of a thing's definition."""
    for text in _TELLING:
        for number, relation in enumerate(graph.relations):
            if relation.text.casefold() == text and relation.literal:
                for end in relation.there.leads(np.array([place], np.int64))[:1].tolist():
                    return number, end, ""
    return None


def _flags(graph: OwnGraph, matched: Matches, rest: int) -> list[int]:
    """Return the relations that the other words name and whose values are all boolean."""
    count = len(graph.ids)
    found = []
    for number, said in enumerate(matched.said):
        named = sum(1 << bit for bit, score in said.scores.items() if score >= 1)
        ends = np.unique(graph.relations[number].there.end).tolist() if not rest & ~named else []
        if ends and all(end >= count and graph.literals[end - count] in _TRUTHS for end in ends):
            found.append(number)
    return found


def _flag(graph: OwnGraph, number: int, place: int) -> tuple[int, int, str] | None:
    """Return the relation, the place and the truth of a thing's boolean value, unless it has none or both."""
    ends = graph.relations[number].there.leads(np.array([place], np.int64)).tolist()
    return (number, ends[0], _TRUTHS[graph.literals[ends[0] - len(graph.ids)]]) if len(ends) == 1 else None


def _executed(graph: OwnGraph, context: Context, anchor: Anchor, number: int, end: int, truth: str) -> Executed:
    confidence = costs.CONFIDENCE
    relation, place = graph.relations[number], int(anchor.nodes[0])
    literal = graph.literals[end - len(graph.ids)]
    node = literal_node(literal)
    answer = AnswerValue(truth or node.name, None, literal, (), confidence)
    legs = (leg_of(graph, number, True, place, end),)
    evidence = evidence_for(context, [(legs, (node,))], relevance=confidence)
    query = Value(Named(graph.name(place), int(graph.ids[place])), relation.text, "any")
    step = Step("Words", f"{words(query)}: {truth or 1}", 0, 1)
    return Executed(uncontested((answer,), evidence, computation=""), (step,), confidence, (), "", True, query=query)

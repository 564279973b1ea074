"""Questions of what a thing is, answered by its definition or description."""

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
from hydra_kg.steps.schema.schema_matching import Matches

_WHAT_IS: Final = ("what is", "what are", "who is", "who was", "what was", "define")
_TELLING: Final = ("definition", "description", "abstract", "comment")
"""Relations whose values say what a thing is, best first."""


def read_definition(graph: OwnGraph, question: SchemaQuestion, matched: Matches, context: Context) -> Executed | None:
    """Answer "What is an eel?"; None for other questions, and for things without a definition."""
    if question.want != "things" or not " ".join(w.low for w in question.words).startswith(_WHAT_IS):
        return None
    for anchor in matched.anchors:
        whole = not (anchor.cls or question.needed & ~anchor.mask) and len(anchor.nodes) == 1
        if whole and anchor.nodes[0] < len(graph.ids) and (found := _definition(graph, int(anchor.nodes[0]))):
            return _executed(graph, context, int(anchor.nodes[0]), *found)
    return None


def _definition(graph: OwnGraph, place: int) -> tuple[int, int] | None:
    """Return the relation and the place of the text of a thing's definition."""
    for text in _TELLING:
        for number, relation in enumerate(graph.relations):
            if relation.text.casefold() == text and relation.literal:
                for end in relation.there.leads(np.array([place], np.int64))[:1].tolist():
                    return number, end
    return None


def _executed(graph: OwnGraph, context: Context, place: int, number: int, end: int) -> Executed:
    confidence = costs.CONFIDENCE
    node = literal_node(graph.literals[end - len(graph.ids)])
    answer = AnswerValue(node.name, None, node.key, (), confidence)
    legs = (leg_of(graph, number, True, place, end),)
    evidence = evidence_for(context, [(legs, (node,))], relevance=confidence)
    query = Value(Named(graph.name(place), int(graph.ids[place])), graph.relations[number].text, "any")
    step = Step("Words", f"{words(query)}: 1", 0, 1)
    return Executed(uncontested((answer,), evidence, computation=""), (step,), confidence, (), "", True, query=query)

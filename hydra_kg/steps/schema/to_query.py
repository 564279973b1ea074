"""Translate a reading in the words of a schema into the algebra of questions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import PREPOSITIONS, VERB, kind
from hydra_kg.language.morphology import plural, singular
from hydra_kg.plan import model as m
from hydra_kg.steps.schema.partial_readings import SchemaReading, State
from hydra_kg.steps.schema.question_words import Compared, SchemaQuestion
from hydra_kg.steps.schema.whole_readings import are_flags

_MANY: Final = {"is": "are", "was": "were", "has": "have"}


def schema_query(graph: OwnGraph, question: SchemaQuestion, reading: SchemaReading, things: m.Things) -> m.Root:
    """Return what a reading computes: its things, the first of them, their number, or whether there are any."""
    top, nodes = question.superlative, reading.nodes
    if top is not None and reading.by:
        things = m.Top(things, 1, reading.by, "date" if reading.is_dated else "number", top.order)
    if question.want == "truth":
        return m.Among(m.Named("yes", -1), things) if are_flags(graph, nodes) else m.Some(things)
    stated = len(nodes) == 1 and not np.isnan(graph.numbers[nodes[0]])
    return m.Count(things) if question.want == "count" and not stated else things


def things_query(graph: OwnGraph, question: SchemaQuestion, state: State) -> m.Things:
    """Return the query for the things of a reading.

    If the question names no class, it has the smallest class that contains all of them.
    """
    found = _things(graph, question, state)
    if _has_noun(found):
        return found
    around = [(len(c), name) for name, c in graph.classes.items() if np.isin(state.nodes, c).all()]
    return m.Both((_class(min(around)[1]), found)) if around else found


def related_to(relation: str, things: m.Things, *, forward: bool, closed: bool = False) -> m.Related:
    """Return a relation's things, or those it comes from; its label is a noun, a verb, or ends in a preposition."""
    first, *more = relation.split() or [relation]
    text = " ".join(more) if first == "has" and more else relation
    start, *rest = text.split() or [text]
    is_open = bool(text.split()) and text.split()[-1].lower() in PREPOSITIONS
    is_verb = kind(start.lower()) == VERB and (is_open or not rest)
    owned = len(rest) == 1 and is_open and rest != ["of"] and not start.lower().endswith("ss")
    is_active = start.lower() in _MANY or ((is_verb or owned) and start.lower().endswith("s"))
    if forward and not is_open:
        said = f"“{text}” of _" if is_verb else f"the {text} of _"
        return m.Related(things, f"{text} of _", said=said, closed=closed)
    if forward and isinstance(things, m.Related) and things.said.startswith("what "):
        return m.Related(things, f"{text} of _", said=f"“{text}” of _", closed=closed)
    if forward:
        named = isinstance(things, m.Named) or (isinstance(things, m.Related) and _has_noun(things))
        being = "" if is_active else "is " if named else "are "
        return m.Related(things, f"what _ {being}{text}", said=f"what _ {being}{text}", closed=closed)
    if not is_open:
        return m.Related(things, f"whose {text} is _", closed=closed)
    if is_active:
        many = " ".join([_MANY.get(start, singular(start)), *rest])
        return m.Related(things, f"{text} _", said=f"that {many} _", closed=closed)
    return m.Related(things, f"is {text} _", said=f"that are {text} _", closed=closed)


def _things(graph: OwnGraph, question: SchemaQuestion, state: State) -> m.Things:
    move = state.move
    if move.before is None:
        return _begun(graph, question, state)
    before = _things(graph, question, move.before)
    if move.other is not None:
        return m.Both((before, _things(graph, question, move.other)), places=state.nodes)
    related = related_to(graph.relations[move.relation].text, before, forward=move.forward, closed=move.closed)
    path = m.GroundedPath((m.PathStep((move.relation,), move.forward),))
    return replace(related, refs=(path,), places=state.nodes)


def _begun(graph: OwnGraph, question: SchemaQuestion, state: State) -> m.Things:
    """Return the query for what the question names, a class, or the things that meet a comparison."""
    anchor = state.move.anchor
    if anchor is None:
        return m.Class("", places=state.nodes)
    span = tuple(w.bit for w in question.words if anchor.mask >> w.bit & 1)
    if state.move.relation >= 0:
        compared = next(c for c in question.compared if c.mask & anchor.mask == c.mask)
        path = m.GroundedPath((), state.move.relation)
        condition = _condition(question, compared)
        return m.Where(m.Class(""), anchor.text, condition, span=span, refs=(path,), places=state.nodes)
    if anchor.cls:
        return m.Class(plural(anchor.text) if anchor.text else "", anchor.text, span=span, places=anchor.nodes)
    names = {graph.name(p) for p in anchor.nodes.tolist()}
    entities = graph.ids[anchor.nodes[anchor.nodes < len(graph.ids)]].tolist()
    text = names.pop() if len(names) == 1 else f"“{anchor.text}”"
    return m.Named(text, entities[0] if entities else -1, tuple(entities[1:]), span=span, places=anchor.nodes)


def _condition(question: SchemaQuestion, compared: Compared) -> m.Condition:
    said = " ".join(w.text for w in question.words if compared.mask >> w.bit & 1)
    low, high = compared.low, compared.high
    if math.isinf(low) or math.isinf(high):
        bound = low if math.isinf(high) else high
        return m.Condition(">=" if math.isinf(high) else "<=", "number", bound, bound, words=said)
    return m.Condition("in", "number", low, high, words=said)


def _class(name: str) -> m.Class:
    return m.Class(plural(name), name)


def _has_noun(things: m.Things) -> bool:
    """Return True if some operator names what the things are."""
    match things:
        case m.Class():
            return bool(things.noun)
        case m.Related():
            return not things.phrase.startswith("whose ") and not things.said.startswith("that ")
        case m.Both():
            return any(map(_has_noun, things.parts))
        case m.Where():
            return _has_noun(things.of)
        case _:
            return True

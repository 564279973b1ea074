"""Find values that may be right although no answer is given: those of the type that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue
from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.listed_answers import noun_asked
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.retrieval.entity_types import kinds_named, kinds_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold

_PEOPLE: Final = frozenset({"person", "character", "group"})
"""Kinds that answer "who"."""

_PLACES: Final = list_words("land_kind fixed_kind water_kind") | {"planet", "group"}
"""Kinds that answer "where": a school is where somebody studied."""

_DENIED: Final = re.compile(r"\b(?:not|never|no|none|without|neither|nor|except|outside)\b")
_AMOUNT: Final = re.compile(r"how (?:many|much|tall|high|long|far|heavy|deep|fast|wide|old)\b")
_NUMBER: Final = re.compile(r"\^\^.*(?:integer|decimal|double|float|int|long|short|byte|quantity)$", re.IGNORECASE)
_DATE: Final = re.compile(r"\^\^.*(?:date|time|year|month|day)\w*$", re.IGNORECASE)


def values_of_asked_type(context: Context, outcome: Outcome) -> tuple[AnswerValue, ...]:
    """Return answers of the asked type. Return none if a name is unknown or a negation was ignored."""
    analysis = outcome.analysis
    denied = any(_DENIED.search(fold(c)) for c in outcome.unchecked)
    if denied or analysis.unknown or not analysis.topics:
        return ()
    return _of_asked_type(context, analysis, outcome.conclusion.answers)


def _of_asked_type(context: Context, analysis: Analysis, answers: Sequence[AnswerValue]) -> tuple[AnswerValue, ...]:
    """Return the answers known to be of the type asked for; all of them if the question names no type."""
    question = fold(analysis.question)
    if analysis.kind == "count" or _AMOUNT.match(question):
        return tuple(a for a in answers if a.value and _NUMBER.search(a.value))
    asked = analysis.answer_kinds or kinds_named(noun_asked(analysis))
    if analysis.answer_type == "date":
        return tuple(a for a in answers if a.value and _DATE.search(a.value))
    wanted = asked or {"person": _PEOPLE, "location": _PLACES}.get(analysis.answer_type, frozenset())
    if not wanted:
        return tuple(answers)
    nodes = [a.node.id for a in answers if a.node is not None]
    heads, known = kinds_of(context, np.array(nodes, np.int64)), context.entities(nodes)
    fitting = []
    for answer in answers:
        if answer.node is None or answer.node.id not in known:
            continue
        nouns = heads.get(answer.node.id, frozenset())
        kinds = kinds_of_thing(known[answer.node.id]).union(*map(kinds_named, nouns))
        if kinds & wanted:
            fitting.append(answer)
    return tuple(fitting)

"""Check whether answers over own data are what the question asks for, and whether its words led to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.dates import names_time
from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.schema.question import SchemaQuestion, is_measured
from hydra_kg.steps.schema.states import State, is_guessed
from hydra_kg.steps.schema.whole_readings import FLAGS
from hydra_kg.text.literals import literal_kind

_NUMBER: Final = re.compile(r"[-+]?[\d.,:/ ]+")
_WEEKDAYS: Final = list_words("weekday")
_PAST: Final = frozenset("did was were".split())
"""Second words of "when did she start", which no day of the week answers: those come back."""


def is_asked_kind(question: SchemaQuestion, answers: Sequence[AnswerValue]) -> bool:
    """Return False if no answer to "when" is a time, all to "who" are numbers or flags, or all to "how old" are things.

    It is also False if none to "how much" holds a digit.
    Example: a row number or a version does not say when something was released.
    """
    lows = [w.low for w in question.words[:2]]
    if lows == ["how", "much"]:
        return any(c.isdigit() for a in answers for c in str(a.name))
    if lows[:1] == ["how"] and is_measured(lows[-1]):
        return any(a.node is None for a in answers)
    if question.want != "things" or question.asking not in lows:
        return True  # "players who are tall" asks for players
    if question.asking == "when":
        past = not _PAST.isdisjoint(lows)
        return any(is_time(a) and not (past and a.name.casefold() in _WEEKDAYS) for a in answers)
    said = [str(a.name).casefold() for a in answers]
    none = all(_NUMBER.fullmatch(text) or text in FLAGS for text in said)
    if question.asking == "who":
        return not (none or all(map(_is_code, said)))
    return question.asking != "where" or not none


def _is_code(text: str) -> bool:
    """Return True for a digit without three letters in a row: the class 7b, the room R12."""
    short = all(not letters or len(list(run)) < 3 for letters, run in groupby(text, str.isalpha))
    return short and any(c.isdigit() for c in text)


def is_time(answer: AnswerValue) -> bool:
    """Return True if an answer is a date, or its text names a date, a time of day or a day of the week."""
    return literal_kind(answer.value or "") == "date" or names_time(str(answer.name))


def is_only_named(question: SchemaQuestion, state: State, unsaid: int) -> bool:
    """Return True if a reading follows relations that no word asks for, from names alone, and leaves other words.

    Example: "When did Kennedy start?" answered by what else the row of Kennedy states.
    """
    return bool(unsaid) and is_guessed(state) and not state.mask & question.needed & ~_names(state)


def counts_by_name(question: SchemaQuestion, state: State) -> bool:
    """Return True if the noun of "how many" is only a part of some name: "records" in "Brief record"."""
    if question.want != "count":
        return False
    heads = [a for a in _anchors(state) if a[0] & question.head]
    return bool(heads) and all(partial for _, partial in heads)


def counts_numbers(graph: OwnGraph, question: SchemaQuestion, state: State) -> bool:
    """Return True if "how many" would count numbers: "How many kilos were harvested?" of 64 and 91 is not 2."""
    nodes = state.nodes
    literals = len(nodes) > 1 and bool((nodes >= len(graph.ids)).all())
    return question.want == "count" and literals and not np.isnan(graph.numbers[nodes]).any()


def is_from_a_neighbour(graph: OwnGraph, state: State) -> bool:
    """Return True if a thing lacks the value asked for, and one was found by way of its neighbours.

    Example: "When was Eel modified?" where only other concepts of the thesaurus have such a date.
    """
    move = state.move
    if move.before is None:
        return False
    if move.other is not None:
        return is_from_a_neighbour(graph, move.before) or is_from_a_neighbour(graph, move.other)
    asked = move.relation >= 0 and move.forward and state.mask != move.before.mask
    start = _guessed_from(move.before) if asked else None
    if start is None:
        return is_from_a_neighbour(graph, move.before)
    stated = graph.relations[move.relation].there.start
    kinds = [members for name, members in graph.classes.items() if name and np.isin(start.nodes, members).all()]
    alike = any(np.isin(members, stated).any() for members in kinds)
    return alike and not np.isin(start.nodes, stated).any()


def _guessed_from(state: State) -> State | None:
    """Return the named things from which relations that no word asks for lead to a state; None if there are none."""
    now, steps = state, 0
    while now.move.before is not None and now.move.relation >= 0 and now.mask == now.move.before.mask:
        now, steps = now.move.before, steps + 1
    named = now.move.anchor is not None and not now.move.anchor.cls
    return now if steps and named else None


def _names(state: State) -> int:
    mask = 0
    for anchor, _ in _anchors(state):
        mask |= anchor
    return mask


def _anchors(state: State) -> list[tuple[int, bool]]:
    """Return the bits of each name in a reading, and whether they are only a part of the name."""
    move = state.move
    own = []
    if move.anchor is not None and not move.anchor.cls:
        own.append((move.anchor.mask, move.anchor.partial))
    return own + [one for before in (move.before, move.other) if before is not None for one in _anchors(before)]

"""Compare the classes of answers with the class that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Ids
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import BE, VERB, kind
from hydra_kg.language.dates import names_time
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.language.units import unit_dimensions
from hydra_kg.steps.retrieval.entity_types import WHO, Kinds, kinds_named
from hydra_kg.steps.schema.partial_readings import State
from hydra_kg.steps.schema.question_words import SchemaQuestion, is_measured
from hydra_kg.steps.schema.whole_readings import FLAGS
from hydra_kg.text.literals import literal_kind
from hydra_kg.text.quantities import is_money
from hydra_kg.util.number_columns import contains, intersect, sort_distinct

_NONE: Final = np.zeros(0, np.int64)
_LOOKED_AT: Final = 50
"""Answers, and members of a class, that are looked at."""


class AskedClass:
    """The type of answers that a question asks for, as far as the classes of a graph tell it."""

    def __init__(self, graph: OwnGraph, question: SchemaQuestion) -> None:
        self.graph = graph
        self._asks_things = question.want == "things"
        self._other = things_of_other_kinds(graph, question)
        self._noun = asked_noun(question)
        self._members = members_called(graph, self._noun) if self._noun else None

    def excludes(self, places: Ids) -> bool:
        """Return True if no answer is of the type that the question asks for.

        Examples: films for "who", a bank for "the names of the top 3 countries", a number for "which suppliers".
        """
        if not self._asks_things or not len(places):
            return False
        if contains(self._other, places).all():
            return True
        return self._members is not None and not self._has_member(self._members, places[:_LOOKED_AT])

    def _has_member(self, members: Ids, places: Ids) -> bool:
        """Return True if an answer is a member, a text of one, or a value of a column called by the noun."""
        graph = self.graph
        if len(intersect(np.sort(places), members)):
            return True
        codes = graph.nameless[members].all() or all(
            graph.name(m)[-1:].isdigit() for m in members[:_LOOKED_AT].tolist()
        )
        every = sort_distinct(np.concatenate([*graph.classes.values()]))
        values = places[~contains(every, places)]
        texts = values if codes else values[np.isnan(graph.numbers[values])]
        for relation in graph.relations:
            if self._noun in (singular(word) for word in relation.words) and len(relation.back.rows(places)):
                return True
            if len(texts) and len(intersect(relation.back.leads(texts), members)):
                return True
        return False


def members_called(graph: OwnGraph, noun: str) -> Ids | None:
    """Return the members of the classes whose name is this noun alone, ascending; None if there is no such class."""
    members = [
        nodes for name, nodes in graph.classes.items() if [singular(w) for w in split_identifier(name)] == [noun]
    ]
    return sort_distinct(np.concatenate(members)) if members else None


def things_of_other_kinds(graph: OwnGraph, question: SchemaQuestion) -> Ids:
    """Return the things whose class says that they do not answer the question word, ascending.

    Examples: films, if the question begins with "who"; horses, if it begins with "whose horse". Things that are also of
    a class that fits are left out.
    """
    lows = [w.low for w in question.words]
    if lows[:1] == ["whose"] and (owned := members_called(graph, singular(lows[1]))) is not None:
        return owned
    if (
        question.want != "things"
        or question.asking not in ("who", "whom")
        or not {*lows[:2], lows[-1]} & {"who", "whom"}
    ):
        return _NONE
    named = _classes_with_kinds(graph)
    other = [members for kinds, members in named if kinds and not kinds & WHO]
    right = [members for kinds, members in named if kinds & WHO]
    if graph.tabular and not right:
        return _NONE  # where people have no table, rows of any table may have their names
    return np.setdiff1d(np.concatenate([*other, _NONE]), np.concatenate([*right, _NONE]))


def _classes_with_kinds(graph: OwnGraph) -> list[tuple[Kinds, Ids]]:
    """Return the kinds that the name of each class says, with the members of the class."""
    return [(kinds_named(" ".join(split_identifier(name))), members) for name, members in graph.classes.items()]


def asked_noun(question: SchemaQuestion) -> str:
    """Return the noun that names the class of the answers, in the singular, or "".

    Examples: country of "which countries" and of "the names of the top 3 countries".
    """
    lows = [w.low for w in question.words]
    head = question.head.bit_length() - 1
    if head < 0 or question.asking not in ("", "what", "which"):
        return ""
    if singular(lows[head]) != "name":
        return singular(lows[head])
    behind = head + 1
    if lows[behind : behind + 1] != ["of"]:
        return ""
    while behind < len(lows) and question.words[behind].stop:
        behind += 1
    run = behind
    while run < len(lows) and not question.words[run].stop:
        run += 1
        if singular(lows[run - 1]) != lows[run - 1]:
            break
    return singular(lows[run - 1]) if run > behind else ""


_NUMBER: Final = re.compile(r"[-+]?[\d.,:/ ]+")
_WEEKDAYS: Final = list_words("weekday")
_TRUTHS: Final = frozenset(word for word in FLAGS if len(word) > 1)
"""Words for yes and no; a 1 or a letter may be a floor or a gate."""
PAST: Final = frozenset("did was were".split())
"""Second words of "when did she start", which no day of the week answers: those come back."""


def is_asked_kind(question: SchemaQuestion, answers: Sequence[AnswerValue]) -> bool:
    """Return False if no answer to "when" is a time, all to "who" are numbers or flags, or all to "how old" are things.

    It is also False if no value that answers "how much" holds a digit, or if all to "how many" are amounts of money.
    Example: a row number or a version does not say when something was released.
    """
    lows = [w.low for w in question.words[:2]]
    if lows == ["how", "much"]:
        return any(c.isdigit() for a in answers if a.node is None for c in a.name)
    if lows == ["how", "many"]:
        asks_money = any(unit_dimensions().get(w.low) == "money" for w in question.words)
        return asks_money or not all(is_money(f"{a.name} {a.unit}") for a in answers)
    if lows[:1] == ["how"] and is_measured(lows[-1]):
        return any(a.node is None for a in answers)
    said = [str(a.name).casefold() for a in answers]
    done = question.words[2].low if len(question.words) > 2 and lows[0] == "what" and lows[1] in BE else ""
    if done and kind(done) == VERB and all(map(is_time, answers)):
        return False  # what was ordered in May: no days
    if lows[:1] in (["whose"], ["which"]) and _TRUTHS.issuperset(said):
        return False  # whose show sold out: not "yes"
    if question.want != "things" or question.asking not in lows:
        return True  # "players who are tall" asks for players
    if question.asking == "when":
        past = not PAST.isdisjoint(lows)
        return any(is_time(a) and not (past and a.name.casefold() in _WEEKDAYS) for a in answers)
    none = all(_NUMBER.fullmatch(text) or text in FLAGS for text in said)
    if question.asking == "who":
        rates = len(said) > 1 and all(text[:1].isdigit() for text in said)  # "1 per week"; 50 Cent is one
        return not (none or rates or all(map(_is_code, said)))
    return question.asking not in ("where", "why") or not (none or all(map(is_time, answers)))


def is_of_other_kind(graph: OwnGraph, question: SchemaQuestion, answers: Sequence[AnswerValue]) -> bool:
    """Return True if every answer is of another class, or of a class of another kind, than the question asks for.

    Examples: courses for "which teacher", films for "who", where the graph also has teachers, or people. Yes and no are
    no members of any class.
    """
    noun = _class_noun(graph, question) or asked_noun(question)
    members = members_called(graph, noun) if noun else None
    if question.want == "things" and _TRUTHS.issuperset(a.name.casefold() for a in answers):
        return members is not None or members_called(graph, singular(question.words[0].low)) is not None
    found = [None if a.node is None else graph.place_of(a.node.id) for a in answers]
    if question.want != "things" or not found or None in found:
        return False
    places = np.array(found, np.int64)
    is_other = members is not None and not np.isin(places, members).any()
    if is_other and np.isin(places, np.concatenate([_NONE, *graph.classes.values()])).all():
        return True
    wanted = WHO if question.asking in ("who", "whom") else kinds_named(noun)
    kinds = _classes_with_kinds(graph)
    if not any(kind & wanted for kind, _ in kinds):
        return False
    other = np.concatenate([_NONE, *(nodes for kind, nodes in kinds if kind and not kind & wanted)])
    right = np.concatenate([_NONE, *(nodes for kind, nodes in kinds if not kind or kind & wanted)])
    return bool(np.isin(places, other).all()) and not np.isin(places, right).any()


def _class_noun(graph: OwnGraph, question: SchemaQuestion) -> str:
    """Return the class that follows "which" or "what", also before a name: teacher of "which teacher saw Ada".

    A question may also begin with it: "Countries where Intel has sites". It is "" if none of the next words is one.
    """
    bare = not question.words or question.words[0].low not in ("which", "what")
    behind = list(takewhile(lambda w: not w.stop, question.words[0 if bare else 1 : 4]))
    nouns = [singular(w.low) for w in behind]
    called = [members_called(graph, noun) is not None for noun in nouns]
    if bare:
        return nouns[0] if called == [True] and nouns[0] != behind[0].low else ""
    first = called.index(True) if True in called else len(called)
    last = next((k for k in range(first, len(called)) if not called[k]), len(called)) - 1
    return nouns[last] if first < len(called) else ""


def _is_code(text: str) -> bool:
    """Return True for a digit without three letters in a row: the class 7b, the room R12."""
    short = all(not letters or len(list(run)) < 3 for letters, run in groupby(text, str.isalpha))
    return short and any(c.isdigit() for c in text)


def is_time(answer: AnswerValue) -> bool:
    """Return True if an answer is a date, or its text names a date, a time of day or a day of the week."""
    return literal_kind(answer.value or "") == "date" or names_time(str(answer.name))


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


def _anchors(state: State) -> list[tuple[int, bool]]:
    """Return the bits of each name in a reading, and whether they are only a part of the name."""
    move = state.move
    own = []
    if move.anchor is not None and not move.anchor.cls:
        own.append((move.anchor.mask, move.anchor.partial))
    return own + [one for before in (move.before, move.other) if before is not None for one in _anchors(before)]

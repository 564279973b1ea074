"""Compare the classes of answers with the class that a question asks for."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.retrieval.answer_type_filter import WHO, kinds_named
from hydra_kg.steps.schema.question import SchemaQuestion
from hydra_kg.util.columns import contains, intersect

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
        every = np.unique(np.concatenate([*graph.classes.values()]))
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
    return np.unique(np.concatenate(members)) if members else None


def things_of_other_kinds(graph: OwnGraph, question: SchemaQuestion) -> Ids:
    """Return the things whose class says that they do not answer the question word, ascending.

    Example: films, if the question begins with "who". Things that are also of a class that fits are left out.
    """
    lows = [w.low for w in question.words]
    if (
        question.want != "things"
        or question.asking not in ("who", "whom")
        or not {*lows[:2], lows[-1]} & {"who", "whom"}
    ):
        return _NONE
    named = [(kinds_named(" ".join(split_identifier(name))), members) for name, members in graph.classes.items()]
    other = [members for kinds, members in named if kinds and not kinds & WHO]
    right = [members for kinds, members in named if kinds & WHO]
    if graph.tabular and not right:
        return _NONE  # where people have no table, rows of any table may have their names
    return np.setdiff1d(np.concatenate([*other, _NONE]), np.concatenate([*right, _NONE]))


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

"""What a reading in own words understood, in plain English: "apples whose grower's town is Larkwood"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hydra_kg.extract.words import PREPOSITIONS, VERB, kind
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.own_graphs.stems import plural, singular
from hydra_kg.steps.schema.question import SchemaQuestion
from hydra_kg.steps.schema.search import State
from hydra_kg.text.articles import with_article

_MANY: Final = {"is": "are", "was": "were", "has": "have"}
_THROUGH: Final = "directly or through others"


@dataclass(frozen=True, slots=True)
class _Clause:
    """What is said of things. ``one``: of one of them ("lies in Northland") · ``many``: behind their noun ("that lie in
    Northland") · ``of``: relations that lead from them to what it is really said of ("grower", "town")."""

    one: str
    many: str = ""
    of: tuple[str, ...] = ()

    def behind(self, *, named: bool) -> str:
        """As it stands behind the noun of many things, or behind a name."""
        if self.of:
            return f"whose {owners(self.of)} {self.one}"
        return f"which {self.one}" if named else self.many


@dataclass(frozen=True, slots=True)
class _Described:
    """Things as a noun with what is said of them. ``named``: the noun is a name, or leads from one ("the town of Hollow
    Farm"); else it is a plural, or "" for things of no known class."""

    noun: str
    clauses: tuple[_Clause, ...] = ()
    named: bool = False

    def __str__(self) -> str:
        said = " and ".join(c.behind(named=self.named) for c in self.clauses)
        noun = self.noun or "things"
        return f"{noun}{', ' if self.named else ' '}{said}" if said else noun


def reading_words(graph: OwnGraph, question: SchemaQuestion, state: State) -> str:
    """What the things of a reading are; where the question does not name their class, the smallest that all are of."""
    found = _Words(graph, question).of(state)
    if found.noun:
        return str(found)
    around = [(len(m), name) for name, m in graph.classes.items() if np.isin(state.nodes, m).all()]
    return str(replace(found, noun=plural(min(around)[1]) if around else ""))


def denied_words(graph: OwnGraph, question: SchemaQuestion, text: str, state: State) -> str:
    """Things of a class that are not those of a reading."""
    less = _Words(graph, question).of(state)
    those = replace(less, noun="those") if less.clauses and not less.named else less
    return f"{plural(text)} without {those}"


def said_of_many(relation: str, name: str) -> str:
    """What many things do that a relation without a noun leads from: "lie in Northland", "are directed by Ada"."""
    (clause,) = _Relation(relation, closed=False).leading_to(_Described(name, named=True)).clauses
    active = clause.many.removeprefix("that ")
    return active if active != clause.many else f"are {clause.many}"


def owners(names: Sequence[str]) -> str:
    """What belongs to what: ("grower", "town") → "grower's town"."""
    return " ".join([*(f"{n}'" if n.endswith("s") else f"{n}'s" for n in names[:-1]), names[-1]])


class _Words:
    def __init__(self, graph: OwnGraph, question: SchemaQuestion) -> None:
        self.graph, self.question = graph, question

    def of(self, state: State) -> _Described:
        """The things that a state holds."""
        move = state.move
        if move.before is None:
            return self._begun(state)
        if move.other is not None:
            return _both(self.of(move.before), self.of(move.other))
        relation = _Relation(self.graph.relations[move.relation].text, closed=move.closed)
        last = move.before.move
        shared = last.relation == move.relation and last.forward and not move.forward and not last.closed
        if shared and last.before is not None:
            return relation.shared_with(self.of(last.before))
        found = self.of(move.before)
        return relation.reached_from(found) if move.forward else relation.leading_to(found)

    def _begun(self, state: State) -> _Described:
        """What the question names, a class, or what meets a comparison."""
        anchor = state.move.anchor
        if anchor is None:
            return _Described("")
        if state.move.relation >= 0:
            compared = next(c for c in self.question.compared if c.mask & anchor.mask == c.mask)
            said = " ".join(w.text for w in self.question.words if compared.mask >> w.bit & 1)
            return _Described("", (_Clause(f"is {said}", of=(anchor.text,)),))
        if anchor.cls:
            return _Described(plural(anchor.text) if anchor.text else "")
        names = {self.graph.name(p) for p in anchor.nodes.tolist()}
        return _Described(names.pop() if len(names) == 1 else f"“{anchor.text}”", named=True)


class _Relation:
    """The words of a relation, which are a noun ("grower"), a verb ("owns") or end in a preposition ("made by")."""

    def __init__(self, text: str, *, closed: bool) -> None:
        first, *more = text.split() or [text]
        self.text = " ".join(more) if first == "has" and more else text
        self.closed = closed
        words = self.text.split()
        self.open = words[-1].lower() in PREPOSITIONS
        self.verb = kind(words[0].lower()) == VERB and (self.open or len(words) == 1)

    def reached_from(self, found: _Described) -> _Described:
        """What it leads to from some things."""
        if not self.open:
            noun = f"“{self.text}”" if self.verb else f"the {self.text}"
            return _Described(f"{noun} of {found}{self._through(' ')}", named=True)
        if found.noun.startswith("what "):
            return _Described(f"“{self.text}” of {found}{self._through(', ')}", named=True)
        being = "" if self._is_active() else "is " if found.named else "are "
        return _Described(f"what {found} {being}{self.text}{self._through(', ')}", named=True)

    def leading_to(self, found: _Described) -> _Described:
        """Things from which it leads to others."""
        if not self.open:
            return _Described("", tuple(self._owned(found)))
        ending = f" {found}{self._through(', ')}"
        if self._is_active():
            first, *more = self.text.split()
            many = " ".join([_MANY.get(first, singular(first)), *more])
            return _Described("", (_Clause(f"{self.text}{ending}", f"that {many}{ending}"),))
        behind = f"{self.text}{ending}" if self.verb else f"that are {self.text}{ending}"
        return _Described("", (_Clause(f"is {self.text}{ending}", behind),))

    def shared_with(self, found: _Described) -> _Described:
        """Things from which it leads to the same as from others."""
        same = f"the same {self.text} as {found}"
        return _Described("", (_Clause(f"has {same}", f"with {same}"),))

    def _owned(self, found: _Described) -> list[_Clause]:
        """The clauses of the things that it leads to, said of their owner: whose grower's town is Larkwood."""
        name = f"“{self.text}”" if self.verb else self.text
        clauses = [replace(c, of=(name, *c.of)) for c in found.clauses]
        if found.named:
            return [_Clause(f"is {found.noun}{self._through(', ')}", of=(name,)), *clauses]
        if (found.noun and singular(found.noun) != singular(name.lower())) or not clauses:
            clauses.insert(0, _Clause(f"is {_one_of(found.noun)}", of=(name,)))
        return clauses

    def _is_active(self) -> bool:
        """Return True for "lies in", "owns" and "hangs in"; False for "made by" and "members of"."""
        first, *more = self.text.lower().split()
        verb = self.verb or (len(more) == 1 and self.open and more != ["of"] and not first.endswith("ss"))
        return first in _MANY or (verb and first.endswith("s"))

    def _through(self, before: str) -> str:
        return f"{before}{_THROUGH}" if self.closed else ""


def _both(one: _Described, other: _Described) -> _Described:
    """What is one and the other."""
    if other.named and not one.named:
        one, other = other, one
    clauses = (*one.clauses, *other.clauses)
    if other.named:
        return replace(one, clauses=(*clauses, _Clause(f"is {other.noun}", f"that are {other.noun}")))
    if not one.noun:
        return _Described(other.noun, clauses)
    if other.noun and singular(other.noun) not in one.noun:
        clauses = (*clauses, _Clause(f"is {_one_of(other.noun)}", f"that are {other.noun}"))
    return replace(one, clauses=clauses)


def _one_of(noun: str) -> str:
    return with_article(singular(noun)) or "known"

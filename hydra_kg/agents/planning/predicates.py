"""Predicates of a set that the grammar collects, and the operators that they become."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.lexicon import NUMBER_OF, Measure, is_founded, is_made, is_office, is_town, order_in_time
from hydra_kg.language.morphology import is_plural
from hydra_kg.plan.model import (
    Adjacent,
    Among,
    Assertion,
    Both,
    Condition,
    Constant,
    Count,
    Either,
    Extreme,
    Holds,
    OfKind,
    Order,
    Related,
    Root,
    Scalar,
    Things,
    Value,
    ValueKind,
    Where,
    Without,
)
from hydra_kg.util.fast_dataclass import dataclass, replace

_VALUE: Final = re.compile(r"[-$€£]?\d.*|(?:a |one |two |three |half )?(?:million|billion|thousand|hundred).*")
_SIGNS: Final[dict[str, Literal["<", ">", "="]]] = {"<": "<", "<=": "<", ">": ">", ">=": ">", "=": "=", "in": "="}


@dataclass(frozen=True, slots=True)
class Rel:
    """Predicate: the thing has the relation ``phrase`` to ``of``; ``noun`` is the noun for the thing, or ""."""

    of: Things
    phrase: str
    noun: str = ""
    during: Condition | None = None


@dataclass(frozen=True, slots=True)
class Is:
    """Predicate of the question grammar: the thing is a member of ``things``."""

    things: Things


@dataclass(frozen=True, slots=True)
class IsOfKind:
    """Predicate of the question grammar: the thing is of the type that a noun names."""

    noun: str


@dataclass(frozen=True, slots=True)
class Test:
    """Predicate: an attribute ("": the usual date of the noun's things) meets a condition."""

    attribute: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Most:
    """Predicate: a superlative by ``attribute``, by the number of ``counted``, or, without both, by time."""

    attribute: str = ""
    kind: ValueKind = "date"
    order: Order = "min"
    rank: int = 1
    counted: str = ""
    fixed: bool = False
    """Whether the superlative itself names the attribute, so that a following "by area" does not change it."""
    since: str = ""
    """Start date, if the order is by the time from it to the date ``attribute``: who lived longer."""


@dataclass(frozen=True, slots=True)
class By:
    """The attribute that the question names for a superlative: "by area"."""

    measure: Measure


@dataclass(frozen=True, slots=True)
class Next:
    """Predicate: the thing precedes (−1) or follows (1) ``item`` by ``attribute`` ("": in succession)."""

    item: Things
    step: int
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class Not:
    """Predicate of the question grammar: negation of a conjunction of predicates."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Predicate of the question grammar: disjunction; at least one of the alternatives holds."""

    alternatives: tuple[tuple[Predicate, ...], ...]


Predicate: TypeAlias = "Rel | Is | IsOfKind | Test | Most | By | Next | Not | AnyOf"


def spread(parts: Sequence[Things], joiner: str, phrase: str, noun: str = "") -> tuple[Predicate, ...]:
    """Return a relation to coordinated objects: to all of them, or, with "or", to at least one."""
    rels = tuple(Rel(p, phrase, noun) for p in parts)
    return (AnyOf(tuple((r,) for r in rels)),) if joiner == "or" else rels


@dataclass(frozen=True, slots=True)
class Built:
    """A set operator; ``open`` is True if the set is its complement, as after a negation."""

    things: Things
    open: bool = False


def build(noun: str, predicates: Sequence[Predicate], base: Things | None = None) -> Built | None:
    """Return the operators of a set, or None if the predicates name no set or do not fit together."""
    predicates = _with_tenure(noun, predicates)
    positive: list[Things] = [] if base is None else [base]
    for p in predicates:
        if isinstance(p, Rel):
            positive.append(Related(p.of, p.phrase, p.noun or noun, p.during))
        elif isinstance(p, Is):
            positive.append(p.things)
        elif isinstance(p, AnyOf):
            parts = [build(noun, alternative, base) for alternative in p.alternatives]
            if any(b is None or b.open for b in parts):
                return None
            positive.append(Either(tuple(b.things for b in parts if b is not None)))
    if not positive:
        return _without_base(noun, predicates)
    things = positive[0] if len(positive) == 1 else Both(tuple(dict.fromkeys(positive)))
    for p in predicates:
        if isinstance(p, IsOfKind):
            things = OfKind(things, p.noun)
        elif isinstance(p, Test):
            things = Where(things, p.attribute or order_in_time(noun), p.condition)
    for p in predicates:
        if isinstance(p, Not):
            less = _less(noun, p, things)
            if less is None:
                return None
            things = less
    return _ordered(noun, predicates, things)


def _with_tenure(noun: str, predicates: Sequence[Predicate]) -> Sequence[Predicate]:
    """Return the predicates with a date behind an office moved into the relation, as the time of tenure.

    For example, "president of _ in 1985".
    """
    dates = [p for p in predicates if isinstance(p, Test) and not p.attribute and p.condition.kind == "date"]
    if len(dates) != 1 or not is_office(noun):
        return predicates
    during = dates[0].condition
    with_tenure = [replace(p, during=during) if isinstance(p, Rel) and noun in p.phrase else p for p in predicates]
    return [p for p in with_tenure if p is not dates[0]] if with_tenure != list(predicates) else predicates


def _less(noun: str, negated: Not, things: Things) -> Things | None:
    if len(negated.parts) == 1 and isinstance(test := negated.parts[0], Test):
        if test.condition.op == "exists":
            return Where(things, test.attribute, replace(test.condition, op="lacks"))
        return Without(things, Where(things, test.attribute or order_in_time(noun), test.condition))
    if len(negated.parts) == 1 and isinstance(kind := negated.parts[0], IsOfKind):
        return Without(things, OfKind(things, kind.noun))
    inner = build(noun, negated.parts)
    return None if inner is None or inner.open else Without(things, inner.things)


def _ordered(noun: str, predicates: Sequence[Predicate], things: Things) -> Built | None:
    most = [p for p in predicates if isinstance(p, Most)]
    nexts = [p for p in predicates if isinstance(p, Next)]
    by = [p for p in predicates if isinstance(p, By)]
    if len(most) > 1 or len(nexts) > 1 or (by and not most):
        return None
    if nexts:
        return _adjacent(noun, nexts[0], most, things)
    if not most:
        return Built(things)
    m = most[0]
    attribute, kind, order = m.attribute, m.kind, m.order
    if by and not m.fixed:
        attribute, kind = by[0].measure.attribute, by[0].measure.kind
        if m.kind == "number" and kind == "date":
            order = "min" if order == "max" else "max"  # the greatest age has the earliest date of birth
    elif not m.counted:
        attribute = fitting(attribute, noun) or order_in_time(noun)
    return Built(Extreme(things, attribute, kind, order, m.rank, m.counted))


def fitting(attribute: str, noun: str) -> str:
    """Return the wordings of an attribute, those that fit the noun first.

    For example, an old company was founded early. A large city has many inhabitants, a large country much land.
    """
    wordings = attribute.split("; ")
    first = {"running time", "duration", "release date"} if is_made(noun) else set[str]()
    if is_founded(noun):
        first = {"date founded", "inception"}
    if is_town(noun) and {"area", "population"} <= set(wordings):
        return "population"  # a large city has many inhabitants, a large country much land
    return "; ".join(sorted(wordings, key=lambda a: a not in first))


def measured(root: Root) -> Root:
    """Return a measured value if the question asks for one by its noun: "the height of _", "_'s population"."""
    if not isinstance(root, Related) or root.during is not None or root.noun not in lexicon.measures():
        return root
    measure = lexicon.measures()[root.noun]
    said = root.phrase.split(" of ")[0] if root.phrase.endswith(" of _") else root.phrase.split(" ", 1)[-1]
    if measure.kind != "number" or said.removeprefix("s ") != root.noun:
        return root
    return Value(root.of, fitting(measure.attribute, getattr(root.of, "noun", "")), "number")


def _adjacent(noun: str, n: Next, most: Sequence[Most], things: Things) -> Built | None:
    """Return the operator for the neighbour in "the first film after …" or "the film after …".

    It is None for several things ("which films … after"), which are not neighbours.
    """
    if most and not (most[0].rank == 1 and most[0].kind == "date" and (most[0].order == "min") == (n.step == 1)):
        return None
    if is_plural(noun) and not most:
        return None
    return Built(Adjacent(things, n.item, n.attribute or (order_in_time(noun) if most else ""), n.step, noun))


def _without_base(noun: str, predicates: Sequence[Predicate]) -> Built | None:
    """Return the operator where no set is named: the thing that follows an item, or the complement of a set."""
    if len(predicates) == 1 and isinstance(n := predicates[0], Next) and not is_plural(noun):
        return Built(Adjacent(None, n.item, n.attribute, n.step, noun))
    if len(predicates) == 1 and isinstance(negated := predicates[0], Not):
        inner = build(noun, negated.parts)
        return Built(inner.things, open=True) if inner is not None else None
    return None


def assertions(subject: Things, predicates: Sequence[Predicate]) -> Iterator[Assertion]:
    """Yield the assertion that a predicate makes about a subject."""
    match tuple(predicates):
        case (Test() as test,):
            yield from _tested(subject, test)
        case (Next() as n,):
            if n.attribute:
                sign: Literal["<", ">"] = "<" if n.step < 0 else ">"
                yield Holds(Value(subject, n.attribute, "date"), sign, Value(n.item, n.attribute, "date"))
        case (IsOfKind() as kind,):
            yield Among(subject, OfKind(subject, kind.noun))
        case (Is() as same,):
            yield Among(subject, same.things)
        case several if not any(isinstance(p, Not) for p in several):
            built = build("", several)
            if built is not None and not built.open:
                yield Among(subject, built.things)


def number_of(things: Things, noun: str) -> Count:
    """Return the operator that counts what things have."""
    return Count(Related(things, f"{noun} of _", noun), f"{NUMBER_OF}{noun}")


def _tested(subject: Things, test: Test) -> Iterator[Assertion]:
    c: Condition = test.condition
    if not test.attribute:
        return
    long = c.kind == "date" and c.op == "in" and round(c.high - c.low, 6) > 1
    if c.op in {"exists", "lacks"} or (c.op == "in" and c.kind == "number") or long:
        yield Among(subject, Where(subject, test.attribute, c))
        return
    number = c.low if c.op != ">=" or c.kind != "date" else c.low - 0.001  # "after" a year begins with the next one
    value_match = _VALUE.search(c.words)
    left: Scalar = Value(subject, test.attribute, c.kind)
    if test.attribute.startswith(NUMBER_OF):
        left = number_of(subject, test.attribute.split("; ")[-1])
    yield Holds(left, _SIGNS[c.op], Constant(number, c.kind, value_match[0] if value_match else c.words))

"""Describe a store: its classes, relations and how they join them, examples, and questions made from its facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.execution.own_graph import MOST_FACTS, TYPE, OwnGraph, OwnRelation, is_date
from hydra_kg.extract.word_classes import BARRIER, PREPOSITION, VERB
from hydra_kg.extract.word_classes import kind as kind_of_word
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.language.morphology import plural, singular
from hydra_kg.language.units import unit_spellings
from hydra_kg.plan.model import Named
from hydra_kg.plan.query_wording import words
from hydra_kg.ports import Snapshot
from hydra_kg.steps.own_graphs.graph_reading import read_whole_graph
from hydra_kg.steps.retrieval.entity_types import WHO, kinds_named
from hydra_kg.steps.schema.to_query import related_to
from hydra_kg.steps.schema.whole_readings import are_flags
from hydra_kg.util.fast_dataclass import dataclass

VALUE: Final = "value"
"""What a relation leads to that leads to literals."""

Ints = npt.NDArray[np.int64]

_KEY: Final = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
"""What keys of relations and classes look like that have no name: ``base.places.old_town``."""

_WORD: Final = re.compile(r"[^\W\d_]+([-'’/][^\W\d_]+)*|\([^()]*\)")
_LOOKED: Final = 1000
"""Most values of a relation that are looked at for other words than yes and no."""
_SHORTEST: Final = 3
_LONGEST: Final = 60
_GROUPS: Final = 8
"""Most values for each of which an example counts things."""
_COUNTED_FROM: Final = 2
"""Least mean number of things for each of these."""


@dataclass(frozen=True, slots=True)
class ClassOf:
    """A class with the number of its members, and some of them."""

    name: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationOf:
    """A relation: how many facts state it, from which class to which, and one of them."""

    key: str
    text: str
    count: int
    domain: str
    range: str
    example: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question made from facts, with the answers that these give."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """What is in a store. ``large``: only relations were counted, because the facts do not fit into memory."""

    facts: int
    classes: tuple[ClassOf, ...]
    relations: tuple[RelationOf, ...]
    candidates: tuple[ExampleQuestion, ...]
    large: bool = False


def describe(snapshot: Snapshot) -> Description:
    """Return classes and relations, the largest first, and questions that can be asked."""
    predicates = snapshot.predicates()
    facts = int(predicates.counts.sum())
    graph = read_whole_graph(snapshot) if facts <= MOST_FACTS else None
    if graph is None:
        order = np.argsort(-predicates.counts, kind="stable").tolist()
        rows = tuple(
            RelationOf(predicates.keys[i], predicates.texts[i], int(predicates.counts[i]), "", "", ("", ""))
            for i in order
        )
        return Description(facts, (), rows, (), large=facts > MOST_FACTS)
    kinds = _kinds(graph)
    classes = [ClassOf(_as_words(n), len(m), tuple(_examples(graph, m.tolist()))) for n, m in graph.classes.items()]
    ordered = sorted(graph.relations, key=lambda r: (-len(r.there.start), r.key))
    relations = tuple(_relation(graph, r, kinds) for r in ordered)
    classes.sort(key=lambda c: (-c.count, c.name))
    return Description(facts, tuple(classes), relations, tuple(_questions(graph, ordered, kinds)))


def _kinds(graph: OwnGraph) -> dict[int, str]:
    """Return the smallest class of each thing."""
    found: dict[int, str] = {}
    for name, members in sorted(graph.classes.items(), key=lambda c: (-len(c[1]), c[0])):
        found.update(dict.fromkeys(members.tolist(), name))
    return found


def _examples(graph: OwnGraph, places: Sequence[int], *, most: int = 3) -> Iterator[str]:
    named = (graph.name(p) for p in places if p >= len(graph.ids) or not graph.nameless[p])
    for _, name in zip(range(most), named, strict=False):
        yield name


def _side(graph: OwnGraph, places: Sequence[int], kinds: dict[int, str]) -> str:
    said = Counter(kinds.get(p, VALUE if p >= len(graph.ids) else "") for p in places[:2000])
    return said.most_common(1)[0][0] if said else ""


def _relation(graph: OwnGraph, relation: OwnRelation, kinds: dict[int, str]) -> RelationOf:
    start, end = relation.there.start.tolist(), relation.there.end.tolist()
    named = next(
        (i for i, pair in enumerate(zip(start, end, strict=True)) if all(map(partial(_has_name, graph), pair))), 0
    )
    example = tuple(_shown(graph, place, kinds) for place in (start[named], end[named])) if start else ("", "")
    domain, range_ = _side(graph, start, kinds), _side(graph, end, kinds)
    text = _as_words(relation.text)
    return RelationOf(relation.key, text, len(start), _as_words(domain), _as_words(range_), (example[0], example[1]))


def _has_name(graph: OwnGraph, place: int) -> bool:
    return place >= len(graph.ids) or not graph.nameless[place]


def _shown(graph: OwnGraph, place: int, kinds: dict[int, str]) -> str:
    """Return the name of a thing; of one without a name its class, never its id."""
    return graph.name(place) if _has_name(graph, place) else f"({_as_words(kinds.get(place, '')) or 'without a name'})"


def _as_words(text: str) -> str:
    """Return a name as words: of a key such as ``base.places.old_town``, the last part without underscores."""
    last = text.rsplit(".", 1)[-1] if _KEY.fullmatch(text) else text
    return " ".join(last.replace("_", " ").split()) or text


def _reads_well(text: str) -> bool:
    """Return True if a relation or class is named by words, not by an id (P646) or a key, and not in part by a unit."""
    return all(
        _WORD.fullmatch(word) and (len(word) > 2 or kind_of_word(word.lower()) == PREPOSITION) for word in text.split()
    )


def _questions(graph: OwnGraph, relations: Sequence[OwnRelation], kinds: dict[int, str]) -> Iterator[ExampleQuestion]:
    """Yield one kind of question for each relation, then the next kind, so that a few show many relations."""
    relations = [
        r
        for r in relations
        if not r.key.endswith(TYPE)
        and r.key not in TYPE_KEYS
        and _reads_well(_worded(r))
        and not are_flags(graph, np.unique(r.there.end[:_LOOKED]))  # nobody asks for "the paid"
    ]
    makers = (_forward, _backward, _counted, _greatest)
    known = _times_stated(graph)
    for turn in range(len(makers)):
        for number, relation in enumerate(relations):
            make = makers[(turn + number) % len(makers)]
            yield from make(graph, relation, kinds, known)


def _times_stated(graph: OwnGraph) -> Ints:
    """Return in how many facts each thing or value is: people ask about what much is known of."""
    ends = [side for relation in graph.relations for side in (relation.there.start, relation.there.end)]
    return np.bincount(np.concatenate(ends)) if ends else np.zeros(0, np.int64)


def _best_known(places: Ints, known: Ints) -> list[int]:
    found: list[int] = places[np.argsort(-known[places], kind="stable")].tolist()
    return found


def _worded(relation: OwnRelation) -> str:
    """Return how a question calls a relation: "nationality" for ``people.person.nationality``, "person nationality".

    A unit at its end is not said: "height" for "height meters".
    """
    said = [w for w in relation.text.split() if not w.startswith("(")]
    said = said[:-1] if len(said) > 1 and (said[-1].lower(),) in unit_spellings() else said
    said = said[1:] if said[:1] == ["has"] and len(said) > 1 else said
    owner = relation.key.split(".")[-2].split("_") if relation.key.count(".") >= 2 else []
    return " ".join(said[len(owner) :] if owner and said[: len(owner)] == owner and len(said) > len(owner) else said)


def _happened(text: str) -> bool:
    """Return True if a relation is called by what happened: "founded"."""
    return " " not in text and kind_of_word(text.lower()) == VERB


def _is_time(text: str) -> bool:
    return is_date(text) or (len(text) == len("1988") and text.isdigit())


def _is_noun(text: str) -> bool:
    parts = text.split()
    ends = kind_of_word(parts[-1].lower()) not in (PREPOSITION, BARRIER)  # "customer since"
    return ends and kind_of_word(parts[0].lower()) != VERB  # "located in time zone"


def _simple(name: str) -> bool:
    return _SHORTEST <= len(name) <= _LONGEST and "://" not in name


def _forward(graph: OwnGraph, relation: OwnRelation, kinds: dict[int, str], known: Ints) -> Iterator[ExampleQuestion]:
    text = _worded(relation)
    starts, counts = np.unique(relation.there.start, return_counts=True)
    for place in _best_known(starts[counts <= 3], known):
        name = graph.name(place)
        ends = relation.there.leads(np.array([place], np.int64)).tolist()
        named = all(_has_name(graph, p) for p in (place, *ends))
        if named and _simple(name) and place in kinds:
            answers = tuple(graph.name(e) for e in ends)
            by = text[: -len(" by")] if text.endswith(" by") else ""
            if by:
                if kind_of_word(by.rsplit(" ", 1)[-1].lower()) == VERB:  # "directed by", not "story by"
                    yield ExampleQuestion(f"Who {by} {name}?", answers)
            elif _happened(text) and all(map(_is_time, answers)):
                yield ExampleQuestion(f"When was {name} {text}?", answers)
            elif _is_noun(text) and (len(ends) > 1 or singular(text) == text):  # not "the flowers", of one month
                asking = "Who" if kinds_named(text) & WHO else "What"
                be = "is" if singular(text) == text else "are"
                yield ExampleQuestion(f"{asking} {be} the {text} of {name}?", answers)
            return


def _backward(graph: OwnGraph, relation: OwnRelation, kinds: dict[int, str], known: Ints) -> Iterator[ExampleQuestion]:
    ends, counts = np.unique(relation.back.start, return_counts=True)
    for place in _best_known(ends[(counts >= 2) & (counts <= 12)], known):
        name, things = graph.name(place), relation.back.leads(np.array([place], np.int64)).tolist()
        kind = _side(graph, things, kinds)
        text = _worded(relation)
        if kind_of_word(text.split()[0].lower()) == PREPOSITION:  # "from account"
            return
        named = all(_has_name(graph, p) for p in (place, *things))
        if (
            kind
            and named
            and _reads_well(kind)
            and " of " not in kind
            and _simple(name)
            and np.isnan(graph.numbers[place])
        ):
            said = f"have {name} as {text}" if _is_noun(text) else _doing(text, name)
            if "“" not in said and not (
                said.startswith("are ") and said.split()[1].endswith("s")
            ):  # "are shares border"
                yield ExampleQuestion(f"Which {plural(kind)} {said}?", tuple(graph.name(t) for t in things))
            return


def _doing(relation: str, name: str) -> str:
    """Return what many things do from which a relation leads to a name: "lie in Northland", "are directed by Ada"."""
    said = words(related_to(relation, Named(name, -1), forward=False)).removeprefix("things ")
    return said.removeprefix("that ") if said.startswith("that ") else f"are {said}"


def _counted(graph: OwnGraph, relation: OwnRelation, kinds: dict[int, str], known: Ints) -> Iterator[ExampleQuestion]:
    """Yield how many things there are for each value of a relation, if things have one and the values are few."""
    starts, ends = relation.there.start, relation.there.end
    values, counts = np.unique(ends, return_counts=True)
    kind, text = _side(graph, starts.tolist(), kinds), _worded(relation)
    one_each = len(np.unique(starts)) == len(starts) >= _COUNTED_FROM * len(values)
    if not (one_each and 2 <= len(values) <= _GROUPS and kind and _reads_well(kind) and _is_noun(text)):
        return
    named = all(_has_name(graph, value) for value in values.tolist()) and np.isnan(graph.numbers[values]).all()
    if named and singular(text) == text:
        pairs = zip(values.tolist(), counts.tolist(), strict=True)
        answers = tuple(f"{graph.name(value)}: {count}" for value, count in pairs)
        yield ExampleQuestion(f"How many {plural(kind)} are there for each {text}?", answers)


def _greatest(graph: OwnGraph, relation: OwnRelation, kinds: dict[int, str], known: Ints) -> Iterator[ExampleQuestion]:
    numbers = graph.numbers[relation.there.end]
    kind = _side(graph, relation.there.start.tolist(), kinds)
    if not _reads_well(kind) or not kind or np.isnan(numbers).any() or len(numbers) < 3:
        return
    best = np.unique(relation.there.start[numbers == numbers.max()]).tolist()
    text, one = _worded(relation), singular(kind.lower())
    if len(best) == 1 and _is_noun(text) and _has_name(graph, best[0]):
        times = {graph.name(int(end)) for end in relation.there.end}
        dated = all(map(is_date, times)) or ((_happened(text) or "year" in text) and all(map(_is_time, times)))
        most = f"has the {'latest' if dated else 'highest'} {text}"
        question = f"Which {one} {f'was {text} last' if dated and _happened(text) else most}?"
        yield ExampleQuestion(question, (graph.name(best[0]),))

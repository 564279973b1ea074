"""Words made from those of headings: unpaid, of "paid"; missed, of "attended"; actors, of a table "acted in"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.extract.word_classes import BE, VERB, kind
from hydra_kg.language.adjectives import graded_adjectives
from hydra_kg.language.morphology import is_same_family, past_participle, singular
from hydra_kg.language.people_headings import is_person_like
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import can_measure, measured_dimensions
from hydra_kg.steps.tables.graph_tables import Column, View, is_of_people
from hydra_kg.steps.tables.operation_words import QueryToken, asks_who
from hydra_kg.steps.tables.span_meanings import Tag
from hydra_kg.steps.tables.time_columns import is_time
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.fast_dataclass import replace

_PREFIX: Final = "un"
_MISSED: Final = ("miss", "missed", "skipped")
_ATTENDING: Final = ("attend", "present")
_ABSENT: Final = "absent"
_MONEY: Final = "money"
_BEFORE_NOUNS: Final = ARTICLES | {"which", "what", "many"}


def split_negations(view: View, words: Sequence[QueryToken]) -> list[QueryToken]:
    """Return words with "unpaid" as "not paid" if a table that the question names has a column "paid", none "unpaid".

    If it names no table, any column counts. A status "unpaid" is left as it is.
    """
    said = {singular(w.low) for w in words}
    columns = [c for t in view.tables if any(n and n[-1] in said for n in t.names) for c in view.of_table(t.place)]
    headings = {word for column in columns or view.columns for word in column.words}
    found: list[QueryToken] = []
    for word in words:
        rest = word.low.removeprefix(_PREFIX)
        parts = rest != word.low and word.low not in headings and word.low not in view.graph.names
        done = past_participle(rest) == rest  # unassigned, of a column "assignee"; not unitprice
        if parts and (rest in headings or (done and any(is_same_family(rest, h) for h in headings))):
            found = found[:-1] if found and found[-1].low == "still" else found  # what was not paid still is not
            found += [replace(word, text="not", low="not"), replace(word, text=rest, low=rest)]
        else:
            found.append(word)
    return found


def without_other_forms(view: View, words: Sequence[QueryToken], found: Sequence[Tag]) -> Iterator[Tag]:
    """Yield tags, in which the name of a table means no other form of it: trainings are no trainers.

    As a noun it means no column either: which *painting*, of columns "painter" and "painted on".
    """
    form = costs.SAME_FORM
    for tag in found:
        said = tuple(singular(w.low) for w in words[tag.start : tag.end])
        if any(said in table.names for table in view.tables):
            noun = tag.start > 0 and words[tag.start - 1].low in _BEFORE_NOUNS
            columns = tuple((c, cost) for c, cost in tag.columns if cost != form or not (noun or c.kind == "link"))
            tag = replace(tag, columns=columns, tables=tuple(one for one in tag.tables if one[1] != form))
        if tag.tables or tag.columns or tag.values:
            yield tag


def of_asked_type(view: View, words: Sequence[QueryToken], found: Sequence[Tag]) -> Iterator[Tag]:
    """Yield tags, in which a verb after "who" or "when" only means columns of that type, if it means several.

    Who *painted* it is the painter, when it was *painted* is "painted on". "Who was hired" asks for nobody who hired.
    """
    lows = [w.low for w in words]
    who, when = asks_who(words) and (BE.isdisjoint(lows) or "by" in lows), lows[:1] == ["when"]
    for tag in found:
        verb = tag.end == tag.start + 1 and (kind(lows[tag.start]) == VERB or lows[tag.start].endswith("ed"))
        if verb and (who or when):
            times = {c for c, _ in tag.columns if is_time(view, c)}
            people = {c for c, _ in tag.columns if is_of_people(c.words) or c in view.people_of(c.table)} - times
            fits = people if who else times
            columns = tuple((c, cost) for c, cost in tag.columns if c in fits or not (fits and c in times | people))
            tag = replace(tag, columns=columns)
        yield tag


def find_missed(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield "no" of a column "attended", or the state "absent", for what somebody missed."""
    for k, word in enumerate(words):
        if word.low not in _MISSED or word.low in view.spoken or word.low in view.graph.names:
            continue
        fits = [(c, places, costs.SAME_SYNONYM) for c, places in view.holding(view.graph.names.get(_ABSENT, []))]
        for column, yes in view.so.items():
            if any(is_same_family(heading, word) for heading in column.words for word in _ATTENDING):
                fits.append((column, other_values(view, column, yes), costs.SAME_SYNONYM))
        if fits:
            yield Tag(k, k + 1, 0.0, values=tuple(fits))


def find_measure_tags(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the only column of each table with the dimension of a measure: minutes, for the *length* of episodes."""
    for k, word in enumerate(words):
        measures = {m for a in graded_adjectives() if word.low in a.measures for m in a.measures}
        dimensions = measured_dimensions(measures) - {_MONEY}
        if dimensions and word.low not in view.spoken:
            fits = [c for c in view.columns if can_measure(c, dimensions)]
            alone = [(c, costs.SAME_SYNONYM) for c in fits if sum(o.table == c.table for o in fits) == 1]
            if alone:
                yield Tag(k, k + 1, 0.0, columns=tuple(alone))


def other_values(view: View, column: Column, places: Ids) -> Ids:
    """Return the values of a column without some of them, such as "no" of a column with the values yes and no."""
    there = view.graph.relations[column.relation].there
    return np.setdiff1d(there.end[there.rows(view.rows(column.table))], places)


def with_doers(view: View, words: Sequence[QueryToken], found: Sequence[Tag]) -> list[Tag]:
    """Return tags with people for who does something, in place of what they do.

    Actors are the people of a table "acted in", not its rows, and donors those of a table of donations.
    """
    for k, word in enumerate(words):
        noun = singular(word.low)
        if not is_person_like(noun) or noun in view.spoken or kind(word.low) == VERB:
            continue
        done = (t.place for t in view.tables if any(name and is_same_family(noun, name[0]) for name in t.names))
        people = [columns[0] for place in done if len(columns := view.people_of(place)) == 1]
        if people:
            tag = Tag(k, k + 1, 0.0, columns=tuple((column, costs.SAME_FORM) for column in people))
            found = [*_without_tables(found, (k, k + 1), {column.table for column in people}), tag]
    return list(found)


def _without_tables(found: Sequence[Tag], span: tuple[int, int], tables: Set[int]) -> Iterator[Tag]:
    """Yield tags; those of a span no longer mean some tables."""
    for tag in found:
        others = tuple((place, cost) for place, cost in tag.tables if place not in tables)
        if (tag.start, tag.end) != span or len(others) == len(tag.tables):
            yield tag
        elif others:
            yield replace(tag, tables=others)

"""Order things: the first by a value, by a number of things, or by their place in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.conditions import class_of, counts
from hydra_kg.execution.graph_columns import NO_PLACES, Denotation, FactSource, Rows, distinct_in_order
from hydra_kg.execution.own_graph import is_date
from hydra_kg.language.morphology import plural, singular
from hydra_kg.plan.model import FileOrder, Step, Top
from hydra_kg.plan.query_wording import ENDS
from hydra_kg.util.cancelling import check_between

FEW: Final = 5
"""Most compared things that are shown."""

TextOrNumber = tuple[int, float, str]
"""Sort key of values: texts come before numbers."""

K = TypeVar("K", float, TextOrNumber)


def top(facts: FactSource, node: Top, rows: Rows, among: Ids | None, notes: Denotation) -> Rows:
    """Return the first things of an order with ties of the last, or all. ``among`` are the things that are counted."""
    things, path, down = distinct_in_order(rows.things), node.refs[0], node.order == "max"
    if node.counted:
        ascending = np.sort(things)
        number = dict(zip(ascending.tolist(), counts(facts, path, ascending, among).tolist(), strict=True))
        first, _ = first_by(node, sorted(number, reverse=not down), number)
        if node.n and first and path is not None:
            several = len(first) > 1
            least = " each" if several and number[first[0]] == number[first[-1]] else " or more" if several else ""
            notes.computation = f"{many(number[first[-1]], path.noun)}{least}"
        return rows.in_order(np.array(first, np.int64))
    keys = _keys_of(facts, node, things)
    first, order = first_by(node, sorted(keys, reverse=down), keys)
    lost = len(things) - len(keys)
    if node.n and order:
        text = path.text if path is not None else node.attribute
        shown = f"{ENDS[node.kind][down]} {'total ' * node.total}“{text}” of {len(order)}"
        notes.missing += lost
        notes.computation = shown + (f"; {lost} say nothing of it" if lost else "")
        notes.steps.append(Step("First", shown, len(things), len(first)))
        notes.compared = [t for t in order if t not in first] if len(order) <= FEW else []
    elif not node.n:
        first += [t for t in things.tolist() if t not in keys]
    return rows.in_order(np.array(first, np.int64))


def first_by(node: Top, things: Sequence[int], keys: Mapping[int, K]) -> tuple[list[int], list[int]]:
    """Return the first of some things by their keys, and all things in that order after those to skip."""
    down = node.order == "max"
    order = sorted(check_between(things), key=lambda t: keys[t], reverse=down)
    for _ in range(node.skip):
        order = [t for t in order if keys[t] != keys[order[0]]]
    if not node.n or not order:
        return order, order
    edge = keys[order[min(node.n, len(order)) - 1]]
    return [t for t in order if (keys[t] >= edge if down else keys[t] <= edge)], order


def value_keys(facts: FactSource, places: Ids) -> list[TextOrNumber]:
    """Return the sort keys of values: numbers if half of them are numbers, else texts."""
    numbers = facts.numbers(places)
    texts = [facts.graph.name(p).casefold() for p in check_between(places.tolist())]
    known = ~np.isnan(numbers)
    if not len(known) or known.mean() < 0.5:
        return [(0, 0.0, text) for text in texts]
    return [(0, float(n), _clock(t)) if k else (-1, 0.0, t) for n, k, t in zip(numbers, known, texts, strict=True)]


def _clock(text: str) -> str:
    """Return the time of day of a moment, which orders the moments of one day; "" for other texts."""
    return text[11:] if text[10:11] == "t" and is_date(text) else ""


def _keys_of(facts: FactSource, node: Top, things: Ids) -> dict[int, TextOrNumber]:
    """Return for each thing with a value its greatest or least key, or the sum of its values."""
    start, ends = facts.read(node.refs[0], things)
    if node.total:
        known, place = np.unique(start, return_inverse=True)
        sums = np.bincount(place, np.nan_to_num(facts.numbers(ends)), len(known)).round(9)
        return {t: (0, n, "") for t, n in zip(known.tolist(), sums.tolist(), strict=True)}
    found: dict[int, TextOrNumber] = {}
    for thing, key in check_between(zip(start.tolist(), value_keys(facts, ends), strict=True)):
        if thing not in found or (key > found[thing]) == (node.order == "max"):
            found[thing] = key
    return found


def select_by_file_order(facts: FactSource, node: FileOrder, things: Ids) -> Ids:
    """Return the row at a place in its file, or the one next to the only given row."""
    table = class_of(node.of)
    order = facts.order(table.places) if table is not None and table.places is not None else NO_PLACES
    places = np.flatnonzero(np.isin(order, things))
    if node.step:
        place = int(places[0]) + node.step if len(places) == 1 else -1
        return order[place : place + 1] if 0 <= place < len(order) else NO_PLACES
    begin = node.place - 1
    return order[places[-1:] if node.place < 0 else places[begin : begin + node.count]]


def many(number: float, noun: str) -> str:
    """Return a number of things in words: "6 films", "1 film"; ``noun`` may be in the plural."""
    *before, last = noun.split(" ")
    one = singular(last.lower())
    return f"{number:g} {' '.join([*before, one if plural(one) == last else last]) if number == 1 else plural(noun)}"

"""Order things: the first by a value, by a number of things, or by their place in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Final

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


def first_by(node: Top, things: Sequence[int], keys: Mapping[int, float]) -> tuple[list[int], list[int]]:
    """Return the first of some things by their keys, and all things in that order after those to skip."""
    down = node.order == "max"
    order = sorted(check_between(things), key=keys.__getitem__, reverse=down)
    for _ in range(node.skip):
        order = [t for t in order if keys[t] != keys[order[0]]]
    if not node.n or not order:
        return order, order
    edge = keys[order[min(node.n, len(order)) - 1]]
    return list(takewhile(lambda t: keys[t] >= edge if down else keys[t] <= edge, order)), order


def value_ranks(facts: FactSource, places: Ids) -> Ids:
    """Return numbers that sort values: by their numbers if half of them are numbers, else as texts.

    Texts come before numbers, and moments of one day are sorted by their times of day.
    """
    values, at = np.unique(places, return_inverse=True)
    numbers = facts.numbers(values)
    known = ~np.isnan(numbers)
    known &= len(values) > 0 and known[at].mean() >= 0.5
    moments = facts.graph.called.take(values).bytes_at(10) | 32 == ord("t")
    spelt = np.flatnonzero(~known | moments)
    names = [facts.graph.name(p).casefold() for p in check_between(values[spelt].tolist())]
    texts = [_clock(text) if of else text for text, of in zip(names, known[spelt], strict=True)]
    places_of = {text: n for n, text in enumerate(sorted({"", *texts}))}
    keys = np.zeros((3, len(values)))
    keys[0, spelt] = [places_of[text] for text in texts]
    keys[1, known], keys[2] = numbers[known], known
    order = np.lexsort(keys)
    ranks = np.zeros(len(values), np.int64)
    ranks[order[1:]] = np.cumsum((np.diff(keys[:, order]) != 0).any(axis=0))
    return ranks[at]


def _clock(text: str) -> str:
    """Return the time of day of a moment, which orders the moments of one day; "" for other texts."""
    return text[11:] if is_date(text) else ""


def _keys_of(facts: FactSource, node: Top, things: Ids) -> dict[int, float]:
    """Return for each thing with a value its greatest or least rank, or the sum of its values."""
    start, ends = facts.read(node.refs[0], things)
    if node.total:
        known, place = np.unique(start, return_inverse=True)
        sums = np.bincount(place, np.nan_to_num(facts.numbers(ends)), len(known)).round(9)
        return dict(zip(known.tolist(), sums.tolist(), strict=True))
    ranks = value_ranks(facts, ends)
    order = np.lexsort((-ranks if node.order == "max" else ranks, start))
    first = order[np.diff(start[order], prepend=-1) != 0]
    return dict(zip(start[first].tolist(), ranks[first].tolist(), strict=True))


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

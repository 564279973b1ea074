"""What each row comes to, where its table states a quantity and the price for one, but no total: 6 kegs at 95 each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.units import verb_dimension
from hydra_kg.steps.queries.computed_columns import single_values, with_computed
from hydra_kg.steps.queries.drafting.implied_amounts import TOTALS
from hydra_kg.steps.tables.column_dimensions import column_dimensions
from hydra_kg.steps.tables.graph_tables import Column, View
from hydra_kg.steps.tables.operation_words import QueryToken, cues
from hydra_kg.steps.tables.rate_periods import asks_rate, periods_said

_TOTAL: Final = {"value", "revenue", "turnover", "worth"}
"""Words for what rows come to."""
_REDUCED: Final = {"discount", "rebate", "tax"}
"""Words of columns by which a total is not quantity times price."""
_COUNTED: Final = list_words("stated_count")
_DECIMALS: Final = 4


def with_row_totals(view: View, words: list[QueryToken]) -> View:
    """Return a view that also has the quantity times the price for one of each row, for a question about amounts.

    A table has such a column if it has one price for one ("price per keg", "unit price") and one quantity ("kegs",
    "quantity"), and no total, discount or tax. Prices for one are never added up (`View.totals`).
    """
    lows = [singular(word.low) for word in words]
    after = [True, *(word.text[1:] == word.text[1:].lower() for word in words)]  # no unitsInStock value
    said = {low for low, plain in zip(lows, after, strict=False) if plain}
    sums = any(cue.say in ("sum", "many", "top", "avg") for cue in cues(words))
    if not (sums or said & _TOTAL or any(verb_dimension(word.low) == "money" for word in words)):
        return view
    for table in view.tables:
        found = _priced(view, table.place)
        if found is None or ("stock" in found[1].words and not said & _TOTAL):
            continue
        price, quantity, link = found
        rates = {other for word, other in pairwise(lows) if word in ("per", "each")}
        if asks_rate(lows, price.words) or rates & {*quantity.words}:
            continue  # how much she is paid per hour
        make = partial(_products, view.graph, price, quantity, link)
        amounts = view.once(("row totals", price.relation, quantity.relation), make)
        names = tuple((word, *of) for of in ((), quantity.words) for word in sorted(said & _TOTAL - view.spoken))
        text, is_left = f"{quantity.text} × {price.text}", "stock" in quantity.words
        called, unit = (("value",), "") if is_left else (("total", "revenue"), price.unit)
        column = Column(table.place, -1, called, "number", (), text, names, unit)
        view = with_computed(view, amounts, quantity, column)
        if not is_left:  # how much we paid for flour is not what all that is left of it is worth
            view = replace(view, totals=view.totals | {price.relation: view.columns[-1]})
    return view


def _priced(view: View, table: int) -> tuple[Column, Column, Column | None] | None:
    """Return the price for one, the quantity, and the reference to what has the price if that is another table."""
    columns = [c for c in view.of_table(table) if c.relation >= 0]
    heads = {word for column in columns for word in column.words}
    prices, numbers = _prices(columns), [c for c in columns if c.kind == "number"]
    if len(prices) > 1 or heads & (_REDUCED | _TOTAL | TOTALS):
        return None
    if prices:
        counts = [c for c in numbers if _is_counted(c, prices[0])]
        return (prices[0], counts[0], None) if len(counts) == 1 else None
    links = [(c, _prices(view.of_table(c.to[0]))) for c in columns if c.kind == "link" and len(c.to) == 1]
    pairs = [(own[0], c, link) for link, own in links if len(own) == 1 for c in numbers if _is_counted(c, own[0], True)]
    return pairs[0] if len(pairs) == 1 else None


def _is_counted(column: Column, price: Column, elsewhere: bool = False) -> bool:
    """Return True if a column says how many there are at a price for one: kegs at a price per keg, hours at a rate.

    The price of a line may be that of all its pieces, unless it is ``elsewhere``: that of the product.
    """
    words = price.words
    periods = {(period,) for *_, period in periods_said(words)}
    one = {words[words.index("per") + 1 :][:1]} if "per" in words else periods
    if one:
        return column.words in one
    if not _COUNTED & {*column.words}:
        return False
    left = "stock" in column.words
    return not left if elsewhere else left or bool({"unit", "each"} & {*words})


def _prices(columns: Iterable[Column]) -> list[Column]:
    return [c for c in columns if c.kind == "number" and "money" in column_dimensions(c)]


def _products(graph: OwnGraph, price: Column, quantity: Column, link: Column | None) -> dict[int, str]:
    """Return quantity times price of each row that has one of both. ``link`` leads to the rows with the price."""
    prices, counts = (single_values(graph, column) for column in (price, quantity))
    of = single_values(graph, link) if link is not None else {row: row for row in counts}
    numbers = graph.numbers
    found = {row: float(numbers[n] * numbers[prices[of[row]]]) for row, n in counts.items() if of.get(row) in prices}
    return {row: f"{round(n, _DECIMALS):.15g}" for row, n in found.items() if not math.isnan(n)}

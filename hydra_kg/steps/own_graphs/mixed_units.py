"""Units of columns of amounts. Amounts in several unconverted units are neither compared nor added up."""

from __future__ import annotations

import numpy as np

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.adjectives import QUANTITY_ORDER, graded_adjectives
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import fold_words
from hydra_kg.language.units import unit_factors, unit_spellings
from hydra_kg.ports import Snapshot
from hydra_kg.text.quantities import are_plain_numbers, read_unit
from hydra_kg.util.number_columns import in_both, in_first

_COMPUTING = list_words("mean whole_amount") | frozenset(QUANTITY_ORDER)


def set_mixed_units(graph: OwnGraph) -> None:
    """Record the units of relations whose amounts have several.

    Amounts that only such relations state have no number afterwards.
    """
    amounts = np.flatnonzero(~np.isnan(graph.numbers))
    amounts = amounts[~are_plain_numbers(graph.called.take(amounts))]
    texts = zip(amounts.tolist(), graph.called.take(amounts), strict=True)
    units = {place: unit for place, text in texts if (unit := read_unit(text))}
    if len(set(map(_canonical, units.values()))) < 2:
        return
    stated = [in_both(r.there.end, np.array(sorted(units), np.int64)) for r in graph.relations]
    for number, places in enumerate(stated):
        spellings = sorted({units[place] for place in places.tolist()})
        if len(set(map(_canonical, spellings))) > 1:
            graph.mixed[number] = tuple(spellings)
    uniform = [np.zeros(0, np.int64), *(places for n, places in enumerate(stated) if n not in graph.mixed)]
    for number in graph.mixed:
        graph.numbers[in_first(stated[number], np.concatenate(uniform))] = np.nan


def set_stated_units(graph: OwnGraph, snapshot: Snapshot) -> None:
    """Record the unit that the first fact of each relation of amounts states: "chf" for a column "Price (CHF)"."""
    amounts = [n for n, r in enumerate(graph.relations) if not np.isnan(graph.numbers[r.there.end[:1]]).any()]
    columns = [graph.relations[n].there for n in amounts]
    segments = np.array([c.segment[0] for c in columns], np.int16)
    facts = snapshot.facts(segments, np.array([c.row[0] for c in columns], np.int64)) if columns else []
    stated = (dict(fact.qualifiers).get("unit", "").strip('"').casefold() for fact in facts)
    graph.units = {number: unit for number, unit in zip(amounts, stated, strict=True) if unit}


def explain_mixed_units(graph: OwnGraph, question: str) -> str:
    """Return why a question that compares or adds up a column in several units is not answered, or ""."""
    asked = {singular(word) for word in fold_words(question)}
    said = set(fold_words(question))
    more = bool(said & QUANTITY_ORDER.keys())
    compared = [a for a in graded_adjectives() if said & {a.comparative, a.superlative} or (more and a.plain in said)]
    measured = {m for a in compared for m in a.measures}
    for number, units in graph.mixed.items():
        relation = graph.relations[number]
        words = {singular(word) for word in fold_words(relation.text)}
        if words & measured or (words <= asked and (compared or said & _COMPUTING)):
            several = f"the amounts of “{relation.text}” are in several units ({', '.join(units)})"
            return f"{several}, which cannot be converted, so they are neither compared nor added up"
    return ""


def _canonical(unit: str) -> object:
    """Return the common form of the spellings of one unit: "€" and "EUR", "mile" and "mi"."""
    small = unit.casefold()
    factor = unit_factors().get(small) or unit_factors().get(small.removesuffix("s"))
    return factor or unit_spellings().get((small,), small)

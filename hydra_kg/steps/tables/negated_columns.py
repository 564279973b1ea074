"""Words that deny a column by their prefix: unpaid, of a column "paid"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.language.morphology import is_same_family, past_participle, singular
from hydra_kg.steps.tables.graph_tables import View
from hydra_kg.steps.tables.operation_words import QueryToken

_PREFIX: Final = "un"


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

"""A logical form over a sheet in plain words, as it is shown to the person who asked."""

from __future__ import annotations

from typing import Final

from hydra_kg.steps.sheets.forms import Form
from hydra_kg.steps.sheets.sheet import Sheet

_STEPS: Final = {
    "first": "the first of them in the file",
    "last": "the last of them in the file",
    "nth": "the one at the asked place in the file",
    "next": "the row after them",
    "previous": "the row before them",
    "max": "the one with the highest “{by}”",
    "min": "the one with the lowest “{by}”",
    "nth max": "the one at the asked place from the highest “{by}”",
    "nth min": "the one at the asked place from the lowest “{by}”",
    "same": "the others with the same “{by}”",
}
_RESULTS: Final = {
    "cells": "“{column}”",
    "count": "number of rows",
    "distinct": "number of different values of “{column}”",
    "sum": "sum of “{column}”",
    "avg": "average of “{column}”",
    "max": "highest “{column}”",
    "min": "lowest “{column}”",
    "range": "difference between the highest and the lowest “{column}”",
    "run": "length of the longest run of rows that follow each other",
    "how often": "number of rows with the most frequent “{column}”",
    "summed value": "the “{column}” with the greatest sum of “{by}”",
    "count difference": "difference between the numbers of rows",
    "difference": "difference in “{column}”",
    "between": "number of rows between them",
}
_VALUES: Final = {
    "most": "most frequent “{column}”",
    "fewest": "least frequent “{column}”",
    "more": "the “{column}” with more rows",
    "fewer": "the “{column}” with fewer rows",
}


def form_words(sheet: Sheet, form: Form) -> str:
    """Return what a form looks up: "“Ship” of the row after them; rows: Regina"."""
    column = sheet.columns[form.column].text if form.column >= 0 else ""
    by = sheet.columns[form.by].text if form.by >= 0 else ""
    result = _VALUES[form.step] if form.result == "value" else _RESULTS[form.result]
    parts = [result]
    if form.step in _STEPS:
        parts.append(f"of {_STEPS[form.step]}")
    count = form.rows.bit_count()
    of = "all" if count == sheet.size else f"{count} of {sheet.size}"
    parts.append(f"({of} rows)")
    return " ".join(parts).format(column=column, by=by)

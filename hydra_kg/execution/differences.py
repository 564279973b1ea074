"""Compute differences of two values: numbers, or the time between two days."""

from __future__ import annotations

import math
from datetime import date

from hydra_kg.execution.denotation import Denotation
from hydra_kg.execution.own_graph import OwnGraph


def subtract(graph: OwnGraph, high: Denotation, low: Denotation, unit: str) -> Denotation:
    """Return ``high`` − ``low``. Return no number unless each is one number or, for a unit of time, one day."""
    result = Denotation()
    if unit:
        last, first = _day(graph, high), _day(graph, low)
        if first is not None and last is not None:
            earlier, later = sorted((first, last))
            amount = elapsed(earlier, later, unit)
            result.number = float(amount if first <= last else -amount)
            result.computation = f"{earlier} to {later}: {amount} {unit}"
        return result
    a, b = _number(graph, high), _number(graph, low)
    if not math.isnan(a - b):
        result.number, result.computation = a - b, f"{a:g} and {b:g}: {abs(a - b):g} apart"
    return result


def elapsed(first: date, last: date, unit: str) -> int:
    """Return the number of whole days, weeks, months or years from one day to a later one."""
    if unit in ("days", "weeks"):
        return (last - first).days // (7 if unit == "weeks" else 1)
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    return months if unit == "months" else months // 12


def _number(graph: OwnGraph, found: Denotation) -> float:
    if found.number is not None:
        return found.number
    is_one = len(found.values) == 1 and not any(found.measures)
    return float(graph.numbers[found.values[0]]) if is_one else math.nan


def _day(graph: OwnGraph, found: Denotation) -> date | None:
    try:
        return date.fromisoformat(graph.name(found.values[0])[:10]) if len(found.values) == 1 else None
    except ValueError:
        return None

"""Descriptions of what operators did."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.plan.model import Step
from hydra_kg.text.literals import literal_kind, literal_text

SHOWN = 5


def step_of(operator: str, text: str, before: int, after: int, *, unknown: int = 0, what: str = "date") -> Step:
    """One step: what was looked for, and how many there are."""
    missing = f" ({unknown} of {before} without a stated {what})" if unknown else ""
    return Step(operator, f"{text}: {after}{missing}", before, after, unknown)


def amount(literal: str) -> str:
    """A value for people: ``1,233``, ``1953-07-27``."""
    text = literal_text(literal)
    if literal_kind(literal) != "date":
        try:
            value = float(text)
        except ValueError:
            return text
        return f"{value:,.0f}" if value == int(value) and abs(value) >= 1000 else f"{value:g}"
    return text


def listed(parts: Sequence[str]) -> str:
    """The first few, and how many more."""
    more = f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else ""
    return ", ".join(parts[:SHOWN]) + more


def number(value: float) -> str:
    """A number as an answer: whole where it is whole."""
    return f"{value:.0f}" if value == int(value) else f"{value:g}"

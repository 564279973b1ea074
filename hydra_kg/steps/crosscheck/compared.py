"""An answer as it is compared with what texts and other sources state: by its names, as a day or as a number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hydra_kg.domain import AnswerValue, Entity
from hydra_kg.steps.crosscheck.naming import Naming
from hydra_kg.steps.crosscheck.statements import ComparedValue
from hydra_kg.steps.crosscheck.values import dates_in
from hydra_kg.text.literals import literal_kind, literal_text

_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")


def as_year(value: ComparedValue) -> ComparedValue:
    """A year that a table has as a plain number, as a day; any other value as it is."""
    days = [d for d, _ in dates_in(value.name)] if value.number is not None else []
    return replace(value, day=days[0], number=None) if days else value


def compared_value(answer: AnswerValue, known: Mapping[int, Entity]) -> ComparedValue:
    """``known``: entities of the answers, for their other names."""
    if answer.node is not None:
        entity = known.get(answer.node.id)
        return ComparedValue(
            answer.name, Naming([answer.name, *(entity.aliases if entity else ())]), node=answer.node.id
        )
    text, kind = literal_text(answer.value or answer.name), literal_kind(answer.value or "")
    if kind == "date" and (days := dates_in(text)):
        return ComparedValue(answer.name, Naming([]), day=days[0][0])
    if kind == "number" and _NUMBER.fullmatch(text):
        return ComparedValue(answer.name, Naming([]), number=float(text))
    return ComparedValue(answer.name, Naming([answer.name]))

"""Whether somebody is from a country, as a claim says: by citizenship and birth together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hydra_kg.plan import model as m
from hydra_kg.steps.operators.results.asserted import AssertionResult

FROM: Final = "from _"

_WAYS: Final = ("citizen of _", "born in _", "formed in _", "grew up in _")
"""What says that somebody or something is from a place; the first two are what may deny it together."""

_BOTH: Final = 2


def hails(op: m.Among, judge: Callable[[m.Among], AssertionResult]) -> AssertionResult | None:
    """Yes where one way of being from a place is stated; no where citizenship and birth both say another one. None
    where it is not said to be from somewhere, or neither is known."""
    of = op.of
    if not isinstance(of, m.Related) or of.phrase != FROM or of.noun or not isinstance(op.item, m.Named):
        return None
    found = []
    for phrase in _WAYS:
        found.append(judge(replace(op, of=replace(of, phrase=phrase))))
        if found[-1].truth == "yes":
            return found[-1]
    denied = [f for f in found[:_BOTH] if f.truth == "no"]
    return denied[0] if len(denied) == _BOTH else None

"""Check whether a person is from a country, as a claim says, by citizenship and birth together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hydra_kg.plan import model as m
from hydra_kg.steps.operators.results.asserted import AssertionResult

FROM: Final = "from _"

_WAYS: Final = ("citizen of _", "born in _", "formed in _", "grew up in _")
"""What says that somebody or something is from a place; the first two are what may deny it together."""


def hails(op: m.Among, judge: Callable[[m.Among], AssertionResult]) -> AssertionResult | None:
    """Return yes for one way of being from a place, no for citizenship and birth elsewhere, else None."""
    of = op.of
    if not isinstance(of, m.Related) or of.phrase != FROM or of.noun or not isinstance(op.item, m.Named):
        return None
    found = []
    for phrase in _WAYS:
        found.append(judge(replace(op, of=replace(of, phrase=phrase))))
        if found[-1].truth == "yes":
            return found[-1]
    citizen, born = found[:2]
    return citizen if citizen.truth == born.truth == "no" else None

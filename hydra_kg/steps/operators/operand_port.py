"""The port through which operators ask for the readings of the operators below them."""

from __future__ import annotations

from typing import Protocol

from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.place_filter import Placement
from hydra_kg.steps.operators.results.found_entities import ThingSet


class Sets(Protocol):
    """The sets of one plan; see :class:`hydra_kg.steps.operators.entity_operators.Worked`."""

    @property
    def context(self) -> Context:
        """Return the context of the question."""

    def readings(self, op: m.Things) -> list[ThingSet]:
        """Return the readings of an operator, best first; [] if nothing states what it asks for."""

    def best(self, op: m.Things) -> ThingSet | None:
        """Return the best reading."""

    def placement(self, op: m.Things, things: ThingSet) -> Placement | None:
        """Return where things are if the operator relates them to an area, else None."""

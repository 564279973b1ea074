"""The port through which operators ask for the readings of the operators below them."""

from __future__ import annotations

from typing import Protocol

from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.places import Placement
from hydra_kg.steps.operators.results.found import ThingSet


class Sets(Protocol):
    """The sets of one plan; see :class:`hydra_kg.steps.operators.things.Worked`."""

    @property
    def context(self) -> Context:
        """The question."""

    def readings(self, op: m.Things) -> list[ThingSet]:
        """Return what an operator gives, by readings, best first; [] where nothing says what it asks for."""

    def best(self, op: m.Things) -> ThingSet | None:
        """Return the best reading."""

    def placement(self, op: m.Things, things: ThingSet) -> Placement | None:
        """Where things are by the relation of an operator to an area; None where it is no such relation."""

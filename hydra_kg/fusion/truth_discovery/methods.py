"""All methods of truth discovery by name, through one interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hydra_kg.errors import UsageError
from hydra_kg.fusion.model.beliefs import Method
from hydra_kg.fusion.truth_discovery.accu import Accu
from hydra_kg.fusion.truth_discovery.default import Default
from hydra_kg.fusion.truth_discovery.hierarchical import Hierarchical
from hydra_kg.fusion.truth_discovery.ltm import Ltm
from hydra_kg.fusion.truth_discovery.mcc import Mcc, normalised
from hydra_kg.fusion.truth_discovery.query_time import QueryTime
from hydra_kg.fusion.truth_discovery.truthfinder import TruthFinder
from hydra_kg.fusion.truth_discovery.two_sided import TwoSided
from hydra_kg.fusion.truth_discovery.vote import HierarchyVote, Vote, WeightedVote

METHODS: Final[Mapping[str, Callable[[], Method]]] = MappingProxyType(
    {
        "vote": Vote,
        "weighted": WeightedVote,
        "hierarchy": HierarchyVote,
        "truthfinder": TruthFinder,
        "ltm": Ltm,
        "accu": Accu,
        "two-sided": TwoSided,
        "tdh": Hierarchical,
        "query-time": QueryTime,
        "mcc": Mcc,
        "mcc-normalised": normalised,
        "default": Default,
        "default-copies": lambda: Default(copies=False, name="default-copies"),
    }
)


def method(name: str) -> Method:
    """The method of a name. Raises UsageError that lists the names."""
    if name not in METHODS:
        raise UsageError(f"There is no method {name!r}.", remedy=f"Methods: {', '.join(METHODS)}.")
    return METHODS[name]()

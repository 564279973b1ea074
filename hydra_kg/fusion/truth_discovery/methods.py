"""All methods of truth discovery by name, through one interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hydra_kg.errors import UsageError
from hydra_kg.fusion.model.beliefs import Method
from hydra_kg.fusion.truth_discovery.accu import Accu
from hydra_kg.fusion.truth_discovery.default_method import Default
from hydra_kg.fusion.truth_discovery.hierarchical import Hierarchical
from hydra_kg.fusion.truth_discovery.ltm import Ltm
from hydra_kg.fusion.truth_discovery.mcc import Mcc, make_normalised_mcc
from hydra_kg.fusion.truth_discovery.query_time import QueryTime
from hydra_kg.fusion.truth_discovery.truthfinder import TruthFinder
from hydra_kg.fusion.truth_discovery.two_sided import TwoSided
from hydra_kg.fusion.truth_discovery.vote import HierarchyVote, Vote, WeightedVote
from hydra_kg.util.installed import entry_points

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
        "mcc-normalised": make_normalised_mcc,
        "default": Default,
        "default-copies": lambda: Default(copies=False, name="default-copies"),
    }
)


GROUP: Final = "hydra_kg.methods"


def methods() -> Mapping[str, Callable[[], Method]]:
    """Return our methods by name, and those of other packages' entry points :data:`GROUP`."""
    return {**{e.name: e.load() for e in entry_points(group=GROUP)}, **METHODS}


def method(name: str | Method) -> Method:
    """Return the method with a name, or the given method. Raises UsageError that lists the names."""
    if not isinstance(name, str):
        if isinstance(name, type) or not (hasattr(name, "name") and callable(getattr(name, "judge", None))):
            raise UsageError(
                f"{name!r} is not a method.", remedy="Pass a name, or an object with a name and judge(claims)."
            )
        return name
    known = methods()
    if name not in known:
        raise UsageError(f"There is no method {name!r}.", remedy=f"Methods: {', '.join(known)}.")
    return known[name]()

"""All methods of truth discovery by name, and the confirmations of sources for methods that use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from hydra_kg.errors import UsageError
from hydra_kg.fusion.model.beliefs import Method, Reals, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.accu import Accu, TwoSided
from hydra_kg.fusion.truth_discovery.default_method import Default
from hydra_kg.fusion.truth_discovery.hierarchical import Hierarchical
from hydra_kg.fusion.truth_discovery.ltm import Ltm
from hydra_kg.fusion.truth_discovery.mcc import Mcc, Record, make_normalised_mcc
from hydra_kg.fusion.truth_discovery.multi_level_confidence import UNKNOWN
from hydra_kg.fusion.truth_discovery.query_time import QueryTime
from hydra_kg.fusion.truth_discovery.truthfinder import TruthFinder
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


def method_named(name: str | Method, *, records: Mapping[str, Record] | None = None) -> Method:
    """Return the method with a name, the default one for "", or the given method.

    Raises UsageError for an unknown name.
    """
    if not isinstance(name, str):
        return method(name)
    history = records or {}
    own: dict[str, Callable[[], Method]] = {
        "mcc": lambda: Mcc(history=history),
        "mcc-normalised": lambda: make_normalised_mcc(history=history),
        "default": lambda: Default(prior=weight_by_history(history) if history else None),
    }
    found = {**methods(), **own}
    if name and name not in found:
        raise UsageError(f"There is no method {name!r}.", remedy=f"There are: {', '.join(sorted(found))}.")
    return found[name or "default"]()


def weight_by_history(records: Mapping[str, Record]) -> Callable[[Claims], Reals]:
    """Return a function that weights value slots by the history of their sources.

    The weight is the mean of Pr^h / ½ over the sources that state a value.
    """

    def weights(claims: Claims) -> Reals:
        slots = slots_of(claims)
        credit = np.array([records.get(s, (UNKNOWN, 0.0))[0] / UNKNOWN for s in claims.sources], np.float64)
        count = np.bincount(slots.of, minlength=len(slots))
        total = np.bincount(slots.of, credit[claims.source], len(slots))
        return np.asarray(np.where(count > 0, total / np.maximum(count, 1), 1.0), np.float64)

    return weights

"""Methods by name for questions and ``fuse``, with the confirmations of sources for methods that use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hydra_kg.errors import UsageError
from hydra_kg.fusion.model.beliefs import Method, Reals, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.default_method import Default
from hydra_kg.fusion.truth_discovery.mcc import Mcc, Record, make_normalised_mcc
from hydra_kg.fusion.truth_discovery.methods import method, methods
from hydra_kg.fusion.truth_discovery.multi_level_confidence import UNKNOWN


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

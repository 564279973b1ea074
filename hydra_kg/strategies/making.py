"""Strategies by name: entry points of ``hydra_kg.strategies``, ours and those of other packages."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from hydra_kg.errors import UsageError
from hydra_kg.strategies.base import Strategy
from hydra_kg.strategies.parameters import with_parameters


def make_strategy(name: str) -> Strategy:
    """A strategy by its entry point name, perhaps with parameters: ``tog-2+clues=false+ranker=bm25``.

    Raises UsageError for an unknown name or parameter, or a value that does not fit.
    """
    base, *changes = name.split("+")
    found = {e.name: e for e in entry_points(group="hydra_kg.strategies")}
    if base not in found:
        raise UsageError(f"There is no strategy {base!r}.", remedy=f"Strategies: {', '.join(sorted(found))}.")
    made: Callable[[], Strategy] = found[base].load()
    strategy = made()
    return with_parameters(strategy, name, changes) if changes else strategy

"""Strategies by name: entry points of ``hydra_kg.strategies``, ours and those of other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


def refuse_undefined(strategies: Iterable[Strategy], *, model: bool, web: bool = True) -> None:
    """Nothing where all of them can be asked; ``model``, ``web``: whether there is a language model, a search engine.

    Raises UsageError that names those which need what is not there.
    """
    made = list(strategies)
    for there, flag, missing, remedy in (
        (model, "needs_model", "a language model", "Name one (HYDRA_MODEL, --agent llm)"),
        (web, "needs_web", "a search engine", "Name one (HYDRA_WEB, with HYDRA_WEB_URL or a key)"),
    ):
        names = [] if there else [s.name for s in made if getattr(s, flag, False)]
        if names:
            raise UsageError(
                f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} not defined without {missing}.",
                remedy=f"{remedy}, or choose a strategy that does without.",
            )

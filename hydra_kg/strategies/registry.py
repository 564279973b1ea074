"""Strategies by name, from the entry points ``hydra_kg.strategies`` of this and other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, Literal, cast, get_args, get_origin, get_type_hints

from hydra_kg.errors import UsageError
from hydra_kg.strategies.base import Strategy
from hydra_kg.util.installed import entry_points

_TRAINED: Final = "it is a trained network, whose weights are not here"
REFUSED: Final[Mapping[str, str]] = {
    "kb-binder": "its logical forms come from Codex, which is no longer offered; chatkbqa asks any model for one",
    "rog": "its relation plans are those of a model trained for them, whose weights are not here",
    "unikgqa": _TRAINED,
    "decaf": _TRAINED,
    "graphrag-global": "it reads reports on all communities of the graph, which a model has to write beforehand; "
    "graphrag is the local search",
}
"""Rivals in the papers' tables that no prompt can replace, each with the reason."""

FIXED: Final = frozenset({"name", "paper", "needs_model", "needs_web"})
"""Fields that describe a strategy and are not parameters."""
MOST: Final = 10_000
_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def make_strategy(strategy: str | Strategy) -> Strategy:
    """Return the given strategy, or make one from a text such as ``tog-2+clues=false+ranker=bm25``.

    The text has the name and then the parameters. Raises UsageError.
    """
    if not isinstance(strategy, str):
        return _check_strategy(strategy)
    name = strategy
    base, *changes = name.split("+")
    found = {e.name: e for e in entry_points(group="hydra_kg.strategies")}
    if base in REFUSED and base not in found:
        raise UsageError(f"{base} cannot be run: {REFUSED[base]}.", remedy=f"Strategies: {', '.join(sorted(found))}.")
    if base not in found:
        raise UsageError(f"There is no strategy {base!r}.", remedy=f"Strategies: {', '.join(sorted(found))}.")
    factory: Callable[[], Strategy] = found[base].load()
    made = factory()
    return change_parameters(made, name, changes) if changes else made


def _check_strategy(strategy: object) -> Strategy:
    """Return a strategy, or raise UsageError that says what it lacks."""
    if isinstance(strategy, type):
        raise UsageError(
            f"{strategy.__name__} is a class, not a strategy.", remedy=f"Pass an instance: {strategy.__name__}()."
        )
    missing = [] if isinstance(getattr(strategy, "name", None), str) else ["name"]
    missing += [] if callable(getattr(strategy, "run", None)) else ["method run(context)"]
    if missing:
        raise UsageError(
            f"{strategy!r} is not a strategy: it has no {' and no '.join(missing)}.",
            remedy="Pass a name, or an object like Strategy of hydra_kg.plugins; docs/extending.md has one.",
        )
    return cast("Strategy", strategy)


def refuse_undefined(strategies: Iterable[Strategy], *, model: bool, web: bool = True) -> None:
    """Raise UsageError for strategies that need a language model or a web search that is not available."""
    made = list(strategies)
    for there, flag, missing, remedy in (
        (model, "needs_model", "a language model", "Name one (HYDRA_MODEL_NAME, --agent llm)"),
        (web, "needs_web", "a search engine", "Name one (HYDRA_WEB_ENGINE, with HYDRA_WEB_URL or a key)"),
    ):
        names = [] if there else [s.name for s in made if getattr(s, flag, False)]
        if names:
            raise UsageError(
                f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} not defined without {missing}.",
                remedy=f"{remedy}, or choose a strategy that does without.",
            )


def parameters_of(strategy: object) -> dict[str, Any]:
    """Return the parameters of a strategy with their values, or none if it is not a dataclass."""
    if not is_dataclass(strategy):
        return {}
    return {f.name: getattr(strategy, f.name) for f in fields(strategy) if f.name not in FIXED}


def change_parameters(strategy: Strategy, name: str, changes: Sequence[str]) -> Strategy:
    """Return the strategy under another name and with some parameters (``key=value``) changed. Raises UsageError."""
    known = parameters_of(strategy)
    kinds = get_type_hints(type(strategy)) if known else {}
    values: dict[str, Any] = {"name": name}
    for change in changes:
        key, sign, text = change.partition("=")
        if key not in known or not sign:
            raise UsageError(
                f"{strategy.name} has no parameter {key!r}.",
                remedy=f"Parameters: {', '.join(f'{k}={v}' for k, v in known.items()) or 'none'}.",
            )
        values[key] = _value(key, text, kinds[key])
    return cast("Strategy", replace(cast("Any", strategy), **values))


def _value(key: str, text: str, kind: Any) -> Any:
    """Return the value of a parameter from its text. Raises UsageError."""
    choices = get_args(kind) if get_origin(kind) is Literal else ("true", "false") if kind is bool else ()
    try:
        value: Any = _TRUTH[text.casefold()] if kind is bool else text if choices else kind(text)
        fits = (not choices or kind is bool or text in choices) and (choices or kind is str or 0 <= value <= MOST)
    except (ValueError, KeyError, TypeError):
        fits = False
    if not fits:
        remedy = f"It is one of {', '.join(choices)}." if choices else f"It is a number from 0 to {MOST}."
        raise UsageError(f"{key}={text} does not fit.", remedy=remedy)
    return value

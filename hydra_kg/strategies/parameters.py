"""Parameters of a strategy as text: ``tog-2+clues=false+ranker=bm25`` names one ablation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, Literal, cast, get_args, get_origin, get_type_hints

from hydra_kg.errors import UsageError
from hydra_kg.strategies.base import Strategy

FIXED: Final = frozenset({"name", "paper", "needs_model", "needs_web"})
"""Fields that describe a strategy and are not parameters."""
MOST: Final = 10_000
_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


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

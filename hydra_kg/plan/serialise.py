"""Plans as JSON: for ``--json``, and from what a language model replies, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from hydra_kg.plan import model
from hydra_kg.plan.model import Condition, Named, Plan
from hydra_kg.text import fold

OPERATORS: Final[tuple[type, ...]] = (
    model.Named, model.Related, model.OfKind, model.Both, model.Either, model.Without, model.Where, model.Extreme,
    model.Adjacent, model.Value, model.Count, model.Difference, model.Compare, model.Holds, model.Constant, model.Among,
)  # fmt: skip

MOST_DEEP: Final = 12
"""Operators inside one another."""

MOST_OPERATORS: Final = 64
"""Operators of one plan."""

_BY_NAME: Final = {cls.__name__: cls for cls in OPERATORS}
_ADAPTERS: Final[dict[type, TypeAdapter[Any]]] = {}


class PlanError(ValueError):
    """A document is no plan: an unknown operator, a wrong field, too deep or too large."""


def plan_json(plan: Plan) -> dict[str, Any]:
    """The plan as JSON values: each operator an object whose ``op`` is its name; fields at their default left out."""
    return _encoded(plan)


def plan_from_json(document: object, *, names: Mapping[str, Named] | None = None) -> Plan:
    """The plan that a document says. ``names``: the only names that it may speak of, by folded text; what it says of
    them beside text and noun is taken from there.

    Raises PlanError.
    """
    if not isinstance(document, Mapping):
        raise PlanError("A plan is an object.")
    reader = _Reader(names)
    known = {f.name for f in fields(Plan)}
    if unknown := sorted(set(document) - known - {"op"}):
        raise PlanError(f"A plan has no field {unknown[0]!r}.")
    if "root" not in document:
        raise PlanError("A plan has a root.")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items() if k not in {"root", "op"}}
    return _checked(Plan, {**values, "root": reader.operator(document["root"], 1)})


class _Reader:
    def __init__(self, names: Mapping[str, Named] | None) -> None:
        self.names = names
        self.left = MOST_OPERATORS

    def operator(self, document: object, depth: int) -> Any:
        if not isinstance(document, Mapping):
            raise PlanError("An operator is an object.")
        self.left -= 1
        if depth > MOST_DEEP or self.left < 0:
            raise PlanError(f"A plan has at most {MOST_OPERATORS} operators, {MOST_DEEP} inside one another.")
        name = document.get("op")
        cls = _BY_NAME.get(name) if isinstance(name, str) else None
        if cls is None:
            raise PlanError(f"There is no operator {name!r}; there are {', '.join(_BY_NAME)}.")
        if cls is Named and self.names is not None:
            return self._named(document)
        known = {f.name for f in fields(cls)}
        if unknown := sorted(set(document) - known - {"op"}):
            raise PlanError(f"{name} has no field {unknown[0]!r}.")
        return _checked(cls, {k: self._value(v, depth) for k, v in document.items() if k != "op"})

    def _value(self, value: object, depth: int) -> object:
        if isinstance(value, list):
            if len(value) > MOST_OPERATORS:
                raise PlanError(f"A list has at most {MOST_OPERATORS} values.")
            return tuple(self._value(v, depth) for v in value)
        if isinstance(value, Mapping):
            if value.get("op") in _BY_NAME:
                return self.operator(value, depth + 1)
            return _checked(Condition, dict(value))
        return value

    def _named(self, document: Mapping[str, object]) -> Named:
        found = (self.names or {}).get(fold(str(document.get("text", ""))))
        if found is None:
            raise PlanError(f"The question does not name {document.get('text')!r}.")
        return found


def _checked(cls: type, values: Mapping[str, object]) -> Any:
    adapter = _ADAPTERS.get(cls)
    if adapter is None:
        adapter = _ADAPTERS[cls] = TypeAdapter(cls)
    try:
        return adapter.validate_python(dict(values), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(p) for p in first["loc"])
        raise PlanError(f"{cls.__name__}: {place}: {first['msg']}") from None


def _encoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_encoded(v) for v in value]
    if not isinstance(value, (*OPERATORS, Condition, Plan)):
        return value
    shown = {f.name: getattr(value, f.name) for f in fields(value)}
    kept = {f.name: _encoded(shown[f.name]) for f in fields(value) if shown[f.name] != f.default}
    return kept if isinstance(value, (Condition, Plan)) else {"op": type(value).__name__, **kept}

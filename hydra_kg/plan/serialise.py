"""Convert plans to JSON for ``--json``, and from the reply of a language model, with checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from pydantic_core import ValidationError

from hydra_kg.ids import decode, encode
from hydra_kg.plan import model
from hydra_kg.plan.model import Condition, Named, Operator, Plan, Root
from hydra_kg.text.folding import fold

if TYPE_CHECKING:
    from pydantic import TypeAdapter

OPERATORS: Final[tuple[type[Operator], ...]] = tuple(
    cls for cls in vars(model).values() if isinstance(cls, type) and issubclass(cls, Operator) and cls is not Operator
)

_TAG: Final = "operator"
_DIGITS: Final = 20
"""A number of digits that no number of 64 bits exceeds."""

MOST_DEEP: Final = 12
"""Most nested operators of a plan."""

MOST_DEEP_QUERY: Final = 40
"""Most nested operators of the query of an answer, in which each condition on rows is an operator."""

MOST_OPERATORS: Final = 64
"""Most operators of one plan."""

_GROUNDING: Final = {"refs", "places", "interval"}
"""Fields that are valid for one graph only."""

_BY_NAME: Final = {cls.__name__: cls for cls in OPERATORS}


class PlanError(ValueError):
    """A document is not a plan: an unknown operator, a wrong field, too deep or too large."""


def plan_json(plan: Plan) -> dict[str, Any]:
    """Return the plan as JSON values.

    Each operator is an object that names itself in ``operator``; fields with default values are left out.
    """
    return dict(_encoded(plan))


def plan_from_json(document: object, *, names: Mapping[str, Named] | None = None) -> Plan:
    """Return a document's plan. Raise PlanError.

    ``names`` are the allowed names by folded text, which fill in details.
    """
    if not isinstance(document, Mapping):
        raise PlanError("A plan is an object.")
    reader = _PlanReader(names)
    known = {f.name for f in fields(Plan)}
    if unknown := sorted(set(document) - known - {_TAG}):
        raise PlanError(f"A plan has no field {unknown[0]!r}.")
    if "root" not in document:
        raise PlanError("A plan has a root.")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items() if k not in {"root", _TAG}}
    plan: Plan = _checked(Plan, {**values, "root": reader.operator(document["root"], 1)})
    return plan


def query_json(root: Root) -> dict[str, Any]:
    """Return the operator tree of an answer as JSON values, in the form of a plan's ``root``."""
    return dict(_encoded(root))


def query_from_json(document: object) -> Root:
    """Return the operator tree that a document states. Raise PlanError if it is not one."""
    root: Root = _PlanReader(None, deep=MOST_DEEP_QUERY).operator(document, 1)
    return root


class _PlanReader:
    def __init__(self, names: Mapping[str, Named] | None, *, deep: int = MOST_DEEP) -> None:
        self.names, self.deep = names, deep
        self.left = MOST_OPERATORS

    def operator(self, document: object, depth: int) -> Any:
        if not isinstance(document, Mapping):
            raise PlanError("An operator is an object.")
        self.left -= 1
        if depth > self.deep or self.left < 0:
            raise PlanError(f"A plan has at most {MOST_OPERATORS} operators, {self.deep} inside one another.")
        name = document.get(_TAG)
        cls = _BY_NAME.get(name) if isinstance(name, str) else None
        if cls is None:
            raise PlanError(f"There is no operator {name!r}; there are {', '.join(_BY_NAME)}.")
        if cls is Named and self.names is not None:
            return self._named(document)
        known = {f.name for f in fields(cls)} - _GROUNDING
        if unknown := sorted(set(document) - known - {_TAG}):
            raise PlanError(f"{name} has no field {unknown[0]!r}.")
        values = {k: self._value(v, depth) for k, v in document.items() if k != _TAG}
        return _checked(cls, _with_numbers(values) if cls is Named else values)

    def _value(self, value: object, depth: int) -> object:
        if isinstance(value, list):
            if len(value) > MOST_OPERATORS:
                raise PlanError(f"A list has at most {MOST_OPERATORS} values.")
            return tuple(self._value(v, depth) for v in value)
        if isinstance(value, Mapping):
            if value.get(_TAG) in _BY_NAME:
                return self.operator(value, depth + 1)
            return _checked(Condition, {k: self._value(v, depth) for k, v in value.items()})
        return value

    def _named(self, document: Mapping[str, object]) -> Named:
        found = (self.names or {}).get(fold(str(document.get("text", ""))))
        if found is None:
            raise PlanError(f"The question does not name {document.get('text')!r}.")
        return found


def id_text(node: int) -> str:
    """Return a class id as text: its key, or its number if only a store knows the key."""
    return decode(node) or str(node)


def _with_numbers(values: Mapping[str, object]) -> Mapping[str, object]:
    """Return the fields of a name with its ids as numbers."""
    others = values.get("others", ())
    numbers = tuple(_number(v) for v in others) if isinstance(others, tuple) else others
    return {**values, "node": _number(values.get("node")), "others": numbers}


def _number(text: object) -> object:
    if not isinstance(text, str):
        return text
    return int(text) if text.lstrip("-").isdigit() and len(text) < _DIGITS else encode(text)


def _checked(cls: type, values: Mapping[str, object]) -> Any:
    """Return an instance of a class of the model after checking that each field has its declared type."""
    try:
        checked = {name: _adapters(cls)[name].validate_python(value, strict=True) for name, value in values.items()}
        return cls(**checked)
    except ValidationError as error:
        first = error.errors()[0]
        raise PlanError(f"{cls.__name__}: {first['msg']}, not {first['input']!r:.80}.") from None
    except (KeyError, TypeError) as error:
        raise PlanError(f"{cls.__name__}: {error}.") from None


@cache
def _adapters(cls: type) -> Mapping[str, TypeAdapter[Any]]:
    from pydantic import TypeAdapter  # only plans that come as JSON are checked

    return {name: TypeAdapter(hint) for name, hint in get_type_hints(cls).items() if name not in _GROUNDING}


def _encoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_encoded(v) for v in value]
    if not is_dataclass(value):
        return value
    given = {f.name: (getattr(value, f.name), f.default) for f in fields(value) if f.name not in _GROUNDING}
    if "span" in given:  # last, behind what the operator says
        given["span"] = given.pop("span")
    if isinstance(value, Named):  # as text: a JSON number of 60 bits does not survive every reader
        given["node"] = (id_text(value.node), None)
        given["others"] = (tuple(map(id_text, value.others)), ())
    non_default = {name: _encoded(v) for name, (v, default) in given.items() if v != default}
    return non_default if isinstance(value, (Condition, Plan)) else {_TAG: type(value).__name__, **non_default}

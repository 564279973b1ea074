"""Rules for ``hydra.toml`` in a working folder: which settings it may change, and in which direction.

Such a file may come from anywhere, for example with a cloned repository. It may make a setting stricter, and it may
change what only alters answers (weights, search widths). It may not allow the network, raise a budget, give a model
more say, or name a file, model or address; for that the user has a file of their own, the environment and options.

Every field of the settings carries its rule in its type: ``calls: Limit[Whole]``, ``w1: Free[Whole]``. A field without
one is treated as :data:`UserOnly`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic.fields import FieldInfo

from hydra_kg.util.fast_dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """A rule in words, and as a test of (value in use without the file, value in the file, folder of the file)."""

    text: str
    allows: Callable[[Any, Any, Path], bool]


def _names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",") if name.strip()}


def _is_inside(address: str, folder: Path) -> bool:
    """Return True if the address is a plain path that stays in the folder when all links are followed."""
    if ":" in address or address.startswith("~"):
        return False
    return bool(address) and (folder / address).resolve().is_relative_to(folder.resolve())


def allow_only(value: object) -> ProjectRule:
    """Return the rule that allows only this value, the strictest one."""
    return ProjectRule(f"may only be {value!r}", lambda _, new, __: bool(new == value))


USER_ONLY: Final = ProjectRule("may not be set", lambda _, __, ___: False)

UserOnly = Annotated[T, USER_ONLY]
"""A file, model, address, or anything else that only the user may choose."""

Free = Annotated[T, ProjectRule("may be set", lambda _, __, ___: True)]
"""A setting that changes answers, and neither cost nor safety."""

Lower = Annotated[T, ProjectRule("may only be lower", lambda old, new, _: bool(new <= old))]
"""A number of which a lower value is stricter."""

Higher = Annotated[T, ProjectRule("may only be higher", lambda old, new, _: bool(new >= old))]
"""A number of which a higher value is stricter."""

Limit = Annotated[
    T, ProjectRule("may only be lower; 0 means no limit", lambda old, new, _: bool(new > 0 and (not old or new <= old)))
]
"""A limit of which a lower value is stricter; 0 means no limit."""

OnlyTrue = Annotated[T, allow_only(True)]
"""A safeguard that may only be switched on."""

OnlyFalse = Annotated[T, allow_only(False)]
"""A risk that may only be switched off."""

OnlyEmpty = Annotated[T, allow_only("")]
"""A service that may only be switched off, by an empty name."""

Fewer = Annotated[T, ProjectRule("may only name fewer", lambda old, new, _: _names(new) <= _names(old))]
"""Names of what is used, separated by commas; fewer are stricter."""

More = Annotated[T, ProjectRule("may only name more", lambda old, new, _: _names(new) >= _names(old))]
"""Names of what is left out, separated by commas; more are stricter."""

Inside = Annotated[T, ProjectRule("may only be a path inside this folder", lambda _, new, at: _is_inside(new, at))]
"""A path that may not leave the folder of the file."""


def rule_of(field: FieldInfo) -> ProjectRule | None:
    """Return the rule that a field carries, or None if it has none."""
    return next((item for item in field.metadata if isinstance(item, ProjectRule)), None)

"""The rules of a set of claims: how values are compared, which sources are left out, and which formats they have."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.fusion.score import MatchRule
from hydra_kg.util.fast_dataclass import dataclass, field

FILE: Final = "set.toml"


@dataclass(frozen=True, slots=True)
class SetRules:
    """Rules of a set of claims.

    - ``rule``: how values are compared.
    - ``left_out``: the sources that no method sees.
    - ``formats``: the sources of each format.
    """

    rule: MatchRule
    left_out: frozenset[str] = frozenset()
    formats: Mapping[str, frozenset[str]] = field(default_factory=dict)


def _number_ranges(**ranges: range) -> Mapping[str, frozenset[str]]:
    return {name: frozenset(f"source_{n}" for n in numbers) for name, numbers in ranges.items()}


RULES: Final[Mapping[str, SetRules]] = MappingProxyType(
    {
        # Formats by FusionQuery, utils/utility.py; MultiRAG Table I counts so.
        "movies": SetRules(
            MatchRule.NAMES, formats=_number_ranges(JSON=range(1, 5), KG=range(5, 10), CSV=range(10, 14))
        ),
        "books": SetRules(MatchRule.NAMES, formats=_number_ranges(JSON=range(1, 4), CSV=range(4, 7), XML=range(7, 11))),
        # The gold of flights was taken from three of its sources: no method may see them.
        "flights": SetRules(MatchRule.FLIGHTS, frozenset({"aa", "ua", "CO"})),
        "stocks": SetRules(MatchRule.NUMBERS),
        "birthplaces": SetRules(MatchRule.PLACE),
        "heritages": SetRules(MatchRule.PLACE),
    }
)
"""Rules of the sets that the papers use, by name."""


def rules_of(name: str, file: Path | None) -> SetRules:
    """Return the rules of a file, if there is one, otherwise those of the set with this name.

    Raises NotFoundError or FormatError.
    """
    if file is not None and file.is_file():
        return read_rules(file)
    if name not in RULES:
        raise NotFoundError(
            f"There is no set {name!r}.",
            remedy=f"Sets: {', '.join(RULES)}. Of another, say how its values are compared in {FILE} (or --rules).",
        )
    return RULES[name]


def read_rules(path: Path) -> SetRules:
    """Return the rules in a TOML file: ``rule``, ``left_out`` and the table ``formats``. Raises FormatError."""
    try:
        doc = tomllib.loads(path.read_text("utf-8"))
        if unknown := sorted(set(doc) - {"rule", "left_out", "formats"}):
            raise ValueError(f"unknown: {', '.join(unknown)}")
        formats = {str(name): frozenset(_texts(sources)) for name, sources in doc.get("formats", {}).items()}
        return SetRules(MatchRule(doc["rule"]), frozenset(_texts(doc.get("left_out", []))), formats)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        why = f"{e} is missing" if isinstance(e, KeyError) else str(e)
        raise FormatError(
            f"{path.name} has no valid rules for a set ({why}).",
            remedy=f"rule = one of {', '.join(r.value for r in MatchRule)}; left_out = [SOURCE, …]; "
            "and under [formats] NAME = [SOURCE, …].",
        ) from e


def _texts(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise TypeError("sources are a list of names")
    return values

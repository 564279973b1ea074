"""What a format says of itself, and what a person may choose about loading it: rules, languages, limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from hydra_kg.domain import Source
from hydra_kg.errors import UsageError
from hydra_kg.ingest.contract.engine import Engine


@dataclass(frozen=True, slots=True)
class Options:
    """User-chosen cleaning rules and resources. All but memory and threads identify a load."""

    rules: Mapping[str, bool] = field(default_factory=dict)  # only what differs from the loader's default
    languages: tuple[str, ...] = ("en",)
    limit: int = 0  # lines to read, over all files; 0: all
    max_line: int = 1 << 20  # bytes; longer lines are rejected
    memory: str = "1GB"  # DuckDB's limit; sorts beyond it go to disk
    threads: int = 2
    extra: Mapping[str, str] = field(default_factory=dict)  # choices that only some loaders know, by name


@dataclass(frozen=True, slots=True)
class Rule:
    """One cleaning rule: what it does, and whether it is on unless switched."""

    text: str
    default: bool = True


class Format(Protocol):
    """Static description of a loader's format."""

    @property
    def name(self) -> str:
        """Name of the format, as ``--as`` takes it."""

    @property
    def version(self) -> int:
        """Counts up with every change of what is made of a file."""

    @property
    def source(self) -> Source:
        """The default source."""

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The cleaning rules."""

    @property
    def unit(self) -> str:
        """What is counted where reports say lines."""

    @property
    def in_ranges(self) -> bool:
        """Whether it reads ranges of its files by an engine where there is one."""


def rules_in_force(loader: Format, chosen: Mapping[str, bool]) -> dict[str, bool]:
    """Every rule of a loader with whether it is on. Raises UsageError for a name that is no rule of it."""
    unknown = sorted(set(chosen) - set(loader.rules))
    if unknown:
        names: Sequence[str] = list(loader.rules)
        raise UsageError(f"{loader.name} has no rule {', '.join(unknown)}.", remedy=f"Its rules: {', '.join(names)}.")
    return {name: chosen.get(name, rule.default) for name, rule in loader.rules.items()}


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What a person may choose about loading files into a store.

    ``format``: a loader or its name, ``auto`` to recognise each file by its content · ``source``: the name to
    attribute the facts to (default: the loader's own) · ``replace``: what is loaded under that name · ``append``: to
    it, tables only; a later row replaces an earlier one of its key · ``strict``: a rejected line ends the
    load · ``limit``: lines of each load · ``keep_reverse``: both directions of a property that is written
    twice · ``rules``: cleaning rules switched on or off · ``languages``: of names and texts, best first · ``extra``:
    choices that only some loaders know, by name · ``memory``, ``threads``: DuckDB's limits; the
    program needs some 200 MB besides · ``engine``: who reads ranges of the files, which changes nothing of the
    result · ``origins``: addresses that files were fetched from and that their facts are
    attributed to; such a file does not stay where it is · ``beginnings``: files of which a dry run has only the
    beginning, with how many times as long all of it is.
    """

    format: str | Format = "auto"
    source: str = ""
    replace: bool = False
    append: bool = False
    dry_run: bool = False
    strict: bool = False
    limit: int = 0
    keep_reverse: bool = False
    rules: Mapping[str, bool] = field(default_factory=dict)
    languages: Sequence[str] = ("en",)
    extra: Mapping[str, str] = field(default_factory=dict)
    memory: str = "1GB"
    threads: int = 2
    engine: Engine | None = None
    origins: Mapping[Path, str] = field(default_factory=dict)
    beginnings: Mapping[Path, float] = field(default_factory=dict)

    @property
    def switched(self) -> dict[str, bool]:
        """All rules that are switched on or off."""
        return dict(self.rules) | ({"reverse": False} if self.keep_reverse else {})

    def reading(self, rules: Collection[str] | None = None) -> Options:
        """Return what a loader is told, of the ``rules`` those that it knows (None: any)."""
        return Options(
            rules={name: on for name, on in self.switched.items() if rules is None or name in rules},
            languages=tuple(self.languages),
            limit=self.limit,
            memory=self.memory,
            threads=self.threads,
            extra=dict(self.extra),
        )


def check_choices(formats: Sequence[Format], options: LoadOptions) -> None:
    """Raise UsageError for a rule that none of the formats has, and for an engine where they are read in one go."""
    known = {name for one in formats for name in one.rules}
    if unknown := sorted(set(options.rules) - known):
        names = ", ".join(one.name for one in formats)
        raise UsageError(
            f"{names} has no rule {', '.join(unknown)}.", remedy=f"There are: {', '.join(sorted(known)) or 'none'}."
        )
    if options.engine is None:
        return
    if options.limit or options.extra.get("around"):
        raise UsageError(
            "The first lines of files, or a part of them, are read in one go.", remedy="Leave --engine out."
        )
    if whole := [one.name for one in formats if not one.in_ranges]:
        raise UsageError(f"Files of the format {whole[0]} are read as a whole.", remedy="Leave --engine out.")

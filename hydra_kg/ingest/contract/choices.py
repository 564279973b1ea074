"""The static description of a format, and a person's options for loading it: rules, languages, limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar

from hydra_kg.domain import Source
from hydra_kg.errors import UsageError
from hydra_kg.util.fast_dataclass import dataclass, field

Item = TypeVar("Item")
Result = TypeVar("Result")

SHARED_DISK: Final = "Put it on a disk that all executors share, under one path."
"""The remedy if a file is not the same on all machines."""


@dataclass(frozen=True, slots=True)
class Options:
    """Cleaning rules and resources that a user chose. All but memory and threads identify a load."""

    rules: Mapping[str, bool] = field(default_factory=dict)  # only what differs from the loader's default
    languages: tuple[str, ...] = ("en",)
    limit: int = 0  # lines to read, over all files; 0: all
    max_line: int = 1 << 20  # bytes; longer lines are rejected
    memory: str = "1GB"  # DuckDB's limit; sorts beyond it go to disk
    threads: int = 2
    extra: Mapping[str, str] = field(default_factory=dict)  # choices that only some loaders know, by name


@dataclass(frozen=True, slots=True)
class Rule:
    """One cleaning rule, with its effect and whether it is on by default."""

    text: str
    default: bool = True


class Format(Protocol):
    """Static description of a loader's format."""

    @property
    def name(self) -> str:
        """Return the name of the format that ``--as`` takes."""

    @property
    def version(self) -> int:
        """Return a number that grows with every change of the result of a file."""

    @property
    def source(self) -> Source:
        """Return the default source."""

    @property
    def rules(self) -> Mapping[str, Rule]:
        """Return the cleaning rules."""

    @property
    def unit(self) -> str:
        """Return the unit that reports count instead of lines."""

    @property
    def in_ranges(self) -> bool:
        """Return True if an engine can read ranges of its files."""


def rules_in_force(loader: Format, chosen: Mapping[str, bool]) -> dict[str, bool]:
    """Return every rule of a loader with whether it is on. Raises UsageError for an unknown rule."""
    unknown = sorted(set(chosen) - set(loader.rules))
    if unknown:
        names: Sequence[str] = list(loader.rules)
        raise UsageError(f"{loader.name} has no rule {', '.join(unknown)}.", remedy=f"Its rules: {', '.join(names)}.")
    return {name: chosen.get(name, rule.default) for name, rule in loader.rules.items()}


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """A person's options for loading files into a store.

    Attributes:
        format: A loader or its name. ``auto`` recognises each file by its content.
        source: The name of the facts' source, by default the loader's own.
        replace: Whether to replace the load of that name.
        append: Whether to append to the load of that name. This is for tables only, and a later row replaces an earlier
            one with the same key.
        strict: Whether a rejected line ends the load.
        limit: The number of lines of each load.
        keep_reverse: Whether to load both directions of a property that is written twice.
        rules: Cleaning rules that are switched on or off.
        languages: The languages of names and texts, best first.
        extra: Options by name that only some loaders know.
        memory, threads: DuckDB's limits. The program needs some 200 MB more.
        engine: The engine that reads ranges of the files. It does not change the result.
        origins: The addresses from which files were fetched and to which their facts are attributed. Such a file is
            temporary.
        beginnings: Files of which a dry run has only the beginning, with the ratio of the whole size to it.
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
        """Return all rules that are switched on or off."""
        return dict(self.rules) | ({"reverse": False} if self.keep_reverse else {})

    def reading(self, rules: Collection[str] | None = None) -> Options:
        """Return the options of a loader. Of the ``rules``, only those that it knows are included (None: any)."""
        return Options(
            rules={name: on for name, on in self.switched.items() if rules is None or name in rules},
            languages=tuple(self.languages),
            limit=self.limit,
            memory=self.memory,
            threads=self.threads,
            extra=dict(self.extra),
        )


def check_choices(formats: Sequence[Format], options: LoadOptions) -> None:
    """Raise UsageError for a rule that no format has, or for an engine if the files cannot be read in ranges."""
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
        raise UsageError(f"Files of the format {whole[0]} cannot be read in parts.", remedy="Leave --engine out.")


class Engine(Protocol):
    """Runs a function on many items, here or elsewhere. Function, items and results can be pickled."""

    def run(self, do: Callable[[Item], Iterable[Result]], items: Sequence[Item]) -> Iterator[Result]:
        """Return the result of ``do`` for each item in their order, no matter how often and where it ran."""

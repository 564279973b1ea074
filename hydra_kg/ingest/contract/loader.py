"""What a format plugs in: the Loader port, the plan of a load, and how the right loader is found for a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, UsageError
from hydra_kg.ingest.contract.choices import Format, Options

if TYPE_CHECKING:
    from hydra_kg.ingest.contract.work import Work

_text: Final = json.encoder.encode_basestring  # what json.dumps(…, ensure_ascii=False) makes of a text
GROUP: Final = "hydra_kg.loaders"
HEAD: Final = 64 << 10
"""Decompressed bytes of a file that a loader may look at to recognise it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One load before it begins (port LoadPlan). ``file`` is the name that locators show."""

    name: str
    sources: tuple[Source, ...]
    replace: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class Streams:
    """A cleaned load as SQL over the tables of its staging database; "" for a stream that there is not.

    links: s, p, o (BIGINT), line · values: s, p (BIGINT), key (VARCHAR), line; their ids are computed later, for
    distinct keys only · terms: id, text of every hashed node · names: node, kind, text, line · passages: node or 0,
    title, url, text, line · same_as: a, b, line · mediators: id. ``line`` counts from 1 over all files. Streams may
    repeat rows: the one with the smallest line stays, the others are duplicates.

    links and values may have more columns, each only where it says something; NULL is the default:

    * ``source`` (integer, 0): place in ``work.sources``, the plan's sources.
    * ``rank`` (VARCHAR, ""): ``preferred``, ``deprecated``; "" is normal.
    * ``confidence`` (DOUBLE, 1): how sure the source itself is, 0 to 1.
    * ``qualifiers`` (VARCHAR, ``[]``): a JSON list of [key, value], both text (value: a key, literals in N-Triples
      form), sorted, as :func:`qualifiers_text` writes it, so that equal ones are equal texts.
    * ``locator`` (VARCHAR, ""): the place within the line or file in words: a statement's GUID, ``Page § Section
      [start:end]``, ``row 3, column capital``. It is shown beside file and line (:meth:`hydra_kg.domain.Locator.at`).

    Facts with equal s, p, o, source, rank, confidence and qualifiers are one fact, stated where the smallest line (and
    of that the least locator) says; facts that differ in rank, confidence or qualifiers are statements of their own,
    ordered by (qualifiers, rank, confidence), which gives the n of their fact ids. So line and locator, which depend on
    how a file is written, change no id. A stream without these columns costs nothing more than before.

    predicates: (id, key, text, key of the declared reverse property or "") · dropped: lines by the rule that dropped
    them · kept: lines that are kept but no stream shows, by name (such as ``predicate-texts``) · derived: streams whose
    rows come in addition to a line's own row, so that they do not count as lines · notes: other counts for the report.
    """

    links: str = ""
    values: str = ""
    terms: str = ""
    names: str = ""
    passages: str = ""
    same_as: str = ""
    mediators: str = ""
    predicates: tuple[tuple[int, str, str, str], ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    derived: tuple[str, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


class Loader(Format, Protocol):
    """One format. A loader reads and judges; sorting, counting, writing and resuming are ingest's.

    ``source`` is what the facts are attributed to unless the caller names another; ``rules`` are the cleaning rules by
    name, in the order in which they are explained to people; ``version`` changes when the same file would give
    another result, so that a killed load of an older version is not resumed; where there are such numbers,
    ``disk_per_byte`` says how many bytes of disk a byte of input takes, ``sample_lines`` how many lines a forecast
    looks at, ``unit`` and ``unit_end`` what is counted in place of lines and the bytes that end it. Both methods may be
    interrupted anywhere and called again; what they made by then is removed before.
    """

    def sniff(self, head: bytes, path: Path) -> float:
        """How surely the first decompressed bytes are of this format, 0 to 1."""

    def read(self, work: Work) -> Mapping[str, int]:
        """One pass over ``work.files`` into tables of ``work.db``; sets ``work.lines``; rejects through
        ``work.reject``. Returns counts: ``blank`` (lines that say nothing and are dropped
        by that name), others are notes for the report."""

    def clean(self, work: Work) -> Streams:
        """Apply the rules to what was read; may leave small tables behind."""


@runtime_checkable
class Describing(Protocol):
    """A loader whose default source depends on what the file says of itself."""

    def describe(self, head: bytes) -> Source:
        """The source to attribute facts to, from the file's first bytes. Files of different ones are loads of their
        own."""


@runtime_checkable
class Naming(Protocol):
    """A loader whose loads are named after their files where the caller names none."""

    def named(self, path: Path) -> Source:
        """The source to attribute the facts of a file to. Files of different ones are loads of their own."""


@runtime_checkable
class Guessing(Protocol):
    """A loader that guesses what is in a file: a person may look at the guess, and correct it, before the load."""

    def mapping(self, files: Sequence[Path], *, extra: Mapping[str, str]) -> list[str]:
        """The guess in lines for people, after their corrections in ``extra``. Raises UsageError, FormatError."""


@runtime_checkable
class Quoting(Protocol):
    """A loader whose locators count rows or records that are not the lines of a file: it shows them itself."""

    def quote(self, path: Path, *, line: int, around: int, check: Callable[[], None]) -> Sequence[tuple[int, str]]:
        """The row of that number and those around it, as (number, ``column: cell · column: cell``). ``check`` is
        called now and then, and may raise to end the search."""


@runtime_checkable
class Sourcing(Protocol):
    """A loader whose one load states facts of several sources."""

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """The sources of a load in the order of the column ``source``, distinct by name, asked before anything else.

        ``source`` is what the caller chose or the default, named as the load is; it may be one of them or not. Must
        depend on nothing but the arguments and the files' content, so that a killed load finds them again. The loader
        finds them as ``work.sources`` when it reads."""


def qualifiers_text(qualifiers: Iterable[Sequence[str]]) -> str:
    """Qualifiers as the column holds them: sorted, each once, ``[["P580", "\\"1999\\"^^xsd:gYear"], …]``."""
    pairs = {(key, value) for key, value in qualifiers}
    return f"[{', '.join([f'[{_text(key)}, {_text(value)}]' for key, value in sorted(pairs)])}]"


@cache
def loaders() -> Mapping[str, Loader]:
    """All installed loaders by name, ascending."""
    found: dict[str, Any] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        made = entry.load()
        loader = made() if isinstance(made, type) else made
        found[loader.name] = loader
    return dict(sorted(found.items()))


def find_loader(path: Path, head: bytes, *, format: str = "auto") -> Loader:  # noqa: A002
    """The loader for a file: the named one, or the one that recognises it best.

    Raises UsageError for an unknown name and FormatError if none recognises the file.
    """
    known = loaders()
    if format != "auto":
        if format not in known:
            raise UsageError(f"There is no format {format!r}.", remedy=f"Formats: auto, {', '.join(known)}.")
        return known[format]
    score, name = max(((loader.sniff(head, path), name) for name, loader in known.items()), default=(0.0, ""))
    if score <= 0:
        raise FormatError(
            f"The format of {path.name} is not recognised.", remedy=f"Name it with --as: {', '.join(known)}."
        )
    return known[name]

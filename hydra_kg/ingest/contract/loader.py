"""What a format plugs in: the base of loaders, the plan of a load, and how the right loader is found for a file."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, LoadError, UsageError
from hydra_kg.ingest.contract.choices import Options, Rule
from hydra_kg.ingest.formats.archives import chunks
from hydra_kg.util.installed import entry_points

if TYPE_CHECKING:
    from hydra_kg.ingest.contract.work import Work

_text: Final = json.encoder.encode_basestring  # what json.dumps(…, ensure_ascii=False) makes of a text
GROUP: Final = "hydra_kg.loaders"
HEAD: Final = 64 << 10
"""Decompressed bytes of a file that a loader may look at to recognise it."""

SAMPLE: Final = 200_000
"""Lines that a forecast looks at, unless a loader names another number."""

DISK_PER_BYTE: Final = 0.5
"""Bytes on disk, scratch and store together, for each decompressed byte: 0.4 to 0.6 for Freebase, more for texts."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """Plan of one load of files (port LoadPlan). ``file`` is the name that locators show."""

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
    rows come in addition to a line's own row, so that they do not count as lines · notes: other counts for the report ·
    described: what the loader took the files for, as plain values: ``lines`` for people, the rest for programs.
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
    described: Mapping[str, Any] = field(default_factory=dict)


class BaseLoader(ABC):
    """A loader's defaults.

    A format has a ``name``, a ``source``, and the methods ``sniff``, ``read`` and ``clean``; for facts that need no SQL
    there is :class:`hydra_kg.ingest.contract.statement_loader.StatementLoader`.

    ``name``: what ``--as`` takes · ``source``: what the facts are attributed to unless the caller names another ·
    ``version``: changes when the same file would give another result, so that a killed load of an older version is not
    resumed · ``rules``: the cleaning rules by name, in the order in which they are explained to people · ``unit``,
    ``unit_end``: what is counted in place of lines, and the bytes that end it · ``sample_lines``: how many of them a
    forecast looks at · ``disk_per_byte``: bytes of disk that a byte of input takes while it is loaded ·
    ``in_ranges``: whether it reads ranges of its files by an engine where there is one ·
    ``describes_itself``: whether a load says in :attr:`Streams.described` what :meth:`mapping` would, which then need
    not be asked first · ``family``: loaders of one family are asked :meth:`together` about all their files in a folder.
    """

    name: str
    source: Source
    version: int = 1
    rules: Mapping[str, Rule] = MappingProxyType({})
    unit: str = "lines"
    unit_end: bytes = b"\n"
    sample_lines: int = SAMPLE
    disk_per_byte: float = DISK_PER_BYTE
    in_ranges: bool = False
    describes_itself: bool = False
    family: str = ""

    @abstractmethod
    def sniff(self, head: bytes, path: Path) -> float:
        """How surely the first decompressed bytes are of this format, 0 to 1."""

    @abstractmethod
    def read(self, work: Work) -> Mapping[str, int]:
        """One pass over ``work.files`` into tables of ``work.db``; sets ``work.lines``; rejects through
        ``work.reject``. Returns counts: ``blank`` (lines that say nothing and are dropped by that name), others are
        notes for the report. It may be interrupted anywhere and called again; what it made by then is removed
        before.
        """

    @abstractmethod
    def clean(self, work: Work) -> Streams:
        """Apply the rules to what was read; may leave small tables behind. May be interrupted as :meth:`read` may."""

    def check_installed(self, file: Path) -> None:
        """Raise MissingPackageError if reading the file needs a package that is not installed."""
        return

    def describe(self, head: bytes) -> Source:
        """Return the source for facts from the first bytes; each source is a load of its own."""
        return self.source

    def named(self, path: Path) -> Source | None:
        """Return the source of a load that is named after its file, or None for that of :meth:`describe`."""
        return None

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """Return the sources of a load in the order of the column ``source``, distinct by name, asked before anything else.

        ``source`` is what the caller chose or the default, named as the load is; it may be one of them or not. Must
        depend on nothing but the arguments and the files' content, so that a killed load finds them again. The loader
        finds them as ``work.sources`` when it reads.
        """
        return (source,)

    def mapping(self, files: Sequence[Path], *, extra: Mapping[str, str]) -> list[str]:
        """Describe how the content was guessed, after corrections in ``extra``. Raises UsageError, FormatError."""
        return []

    def together(self, files: Sequence[Path], *, named: bool, extra: Mapping[str, str]) -> Loader | None:
        """Return the loader that reads several files (or one) as one feed of related tables, or None to read each
        alone. ``named``: a person gave all files one name.
        """
        return None

    def refer(self, files: Sequence[Path], extra: Mapping[str, str]) -> bool:
        """Return True if files that were named one by one refer to one another, so that they are one feed."""
        return False

    def quote(
        self, path: Path, *, line: int, around: int, check: Callable[[], None], extra: Mapping[str, str]
    ) -> Sequence[tuple[int, str]] | None:
        """Return row ``line`` and those around it as (number, ``column: cell · …``), or None if locators count lines.

        ``check`` may raise to stop. ``extra``: what a person chose for the load, such as its ``header_row``.
        """
        return None


Loader: TypeAlias = BaseLoader


def qualifiers_text(qualifiers: Iterable[Sequence[str]]) -> str:
    r"""Qualifiers as the column holds them: sorted, each once, ``[["P580", "\\"1999\\"^^xsd:gYear"], …]``."""
    pairs = {(key, value) for key, value in qualifiers}
    return f"[{', '.join([f'[{_text(key)}, {_text(value)}]' for key, value in sorted(pairs)])}]"


@cache
def loaders() -> Mapping[str, Loader]:
    """All installed loaders by name, ascending. Raises UsageError where an installed package's is none."""
    found: dict[str, Loader] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        made = entry.load()
        loader = checked_loader(made() if isinstance(made, type) else made)
        found[loader.name] = loader
    return dict(sorted(found.items()))


def checked_loader(loader: object) -> Loader:
    """Return the loader, if it is one. Raises UsageError that says what is missing."""
    if isinstance(loader, type):
        raise UsageError(
            f"{loader.__name__} is a class, and a loader is wanted.",
            remedy=f"Pass one made of it: {loader.__name__}().",
        )
    if not isinstance(loader, BaseLoader):
        raise UsageError(
            f"{loader!r} is no loader.",
            remedy="A loader extends StatementLoader or BaseLoader of hydra_kg.plugins; docs/extending.md has one.",
        )
    if missing := [name for name in ("name", "source") if not hasattr(loader, name)]:
        raise UsageError(
            f"The loader {type(loader).__name__} has no {' and no '.join(missing)}.",
            remedy="Set them in its class: name is what --as takes, source is a hydra_kg.Source.",
        )
    return loader


def find_loader(path: Path, head: bytes, *, format: str | Loader = "auto") -> Loader:  # noqa: A002
    """Return the given or named loader, or the one that recognises the file best. Raises UsageError, FormatError."""
    if not isinstance(format, str):
        return checked_loader(format)
    known = loaders()
    if format != "auto":
        if format not in known:
            raise UsageError(f"There is no format {format!r}.", remedy=f"Formats: auto, {', '.join(known)}.")
        return known[format]
    score, name = max(((loader.sniff(head, path), name) for name, loader in known.items()), default=(0.0, ""))
    if score <= 0:
        raise FormatError(
            f"The format of {path.name} is not recognised.",
            remedy=f"Name it with --as: {', '.join(known)}. If it is a table with other lines above its header, name"
            " the row of the header: --header-row 3.",
        )
    return known[name]


def shown_name(file: Path) -> str:
    r"""Return the name of a file as text; bytes that are no UTF-8 as ``\\xe9``."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def head_of(file: Path) -> bytes:
    """Return the first bytes of a file, decompressed. Raises LoadError."""
    head = b""
    try:
        for data in chunks(file):
            head += data
            if len(head) >= HEAD:
                break
    except LoadError:  # a damaged archive: the reader says so again, with more
        if not head:
            raise
    return head[:HEAD]

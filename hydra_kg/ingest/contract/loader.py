"""What a format plugs in: the base class of loaders, the plan of a load, and the choice of a loader for a file."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, LoadError, UsageError
from hydra_kg.ingest.contract.choices import Options, Rule
from hydra_kg.ingest.formats.archives import chunks
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.installed import entry_points

if TYPE_CHECKING:
    from hydra_kg.ingest.contract.work import Work

_text: Final = json.encoder.encode_basestring  # what json.dumps(…, ensure_ascii=False) makes of a text
GROUP: Final = "hydra_kg.loaders"
HEAD: Final = 64 << 10
"""Number of decompressed bytes of a file by which a loader may recognise it."""

SAMPLE: Final = 200_000
"""Number of lines that a forecast reads, unless a loader sets another one."""

DISK_PER_BYTE: Final = 0.5
"""Bytes on disk, scratch and store together, for each decompressed byte. Freebase needs 0.4 to 0.6, texts need more."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """Plan of one load of files (port LoadPlan). ``file`` is the name that locators show."""

    name: str
    sources: tuple[Source, ...]
    replace: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class Streams:
    """A cleaned load as SQL over the tables of its staging database. A missing stream is "".

    The streams have these columns, where ``line`` counts from 1 over all files:

    * links: s, p, o (BIGINT), line.
    * values: s, p (BIGINT), key (VARCHAR), line. Their ids are computed later, once for each distinct key.
    * terms: id and text of every hashed node.
    * names: node, kind, text, line.
    * passages: node (or 0), title, url, text, line.
    * same_as: a, b, line.
    * mediators: id.

    Streams may repeat rows. The row with the smallest line stays, and the others are duplicates.

    links and values may have more columns, each only if some row fills it. NULL means the default:

    * ``source`` (integer, 0): place in ``work.sources``, the plan's sources.
    * ``rank`` (VARCHAR, ""): ``preferred`` or ``deprecated``. "" is normal.
    * ``confidence`` (DOUBLE, 1): how sure the source itself is, 0 to 1.
    * ``qualifiers`` (VARCHAR, ``[]``): a sorted JSON list of [key, value], both text, as :func:`qualifiers_text` writes
      it. A value is a key, with literals in N-Triples form. Equal qualifiers are equal texts.
    * ``locator`` (VARCHAR, ""): the place within the line or file in words, such as a statement's GUID, ``Page §
      Section [start:end]`` or ``row 3, column capital``. It is shown after file and line
      (:meth:`hydra_kg.domain.Locator.at`). An ENUM without NULLs sorts faster where there are few places.

    Facts with equal s, p, o, source, rank, confidence and qualifiers are one fact. Its place is the one with the
    smallest line, and among those the least locator. Facts that differ in rank, confidence or qualifiers are separate
    statements. They are ordered by (qualifiers, rank, confidence), which gives the n of their fact ids. So line and
    locator, which depend on how a file is written, change no id. A stream without these columns costs nothing extra.

    The other fields:

    * literals, coded_values: optional, if distinct keys of values cost less to find than those of all values. They are
      rows with the ``key`` of each value, and ``values`` again with ``o``: the ``id`` in the table ``coded``, which has
      the rows of ``literals``.
    * wide_values, wide_columns: optional, ``coded_values`` as rows (s, line, o0, o1 …), one for each s, in that order.
      Each column has its predicate and locator, and they are ordered by predicate.
    * predicates: (id, key, text, key of the declared reverse property or "").
    * dropped: number of lines by the rule that dropped them.
    * kept: number of lines by name (such as ``predicate-texts``) that were used but are in no stream.
    * derived: streams whose rows are additional to a line's own row, so that they do not count as lines.
    * notes: other counts for the report.
    * described: what the loader took the files for, as plain values. ``lines`` is for people, the rest for programs.
    """

    links: str = ""
    values: str = ""
    literals: str = ""
    coded_values: str = ""
    wide_values: str = ""
    wide_columns: tuple[tuple[int, str], ...] = ()
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
    """Base class of a format's loader, with defaults.

    A format has a ``name``, a ``source``, and the methods ``sniff``, ``read`` and ``clean``. For facts that need no
    SQL, use :class:`hydra_kg.ingest.contract.statement_loader.StatementLoader`.

    Attributes:
        name: The value that ``--as`` takes.
        source: The source of the facts, unless the caller names another one.
        version: Changes when the same file would give another result. A killed load of an older version is not resumed.
        rules: The cleaning rules by name, in the order in which they are explained to people.
        unit, unit_end: What is counted instead of lines, and the bytes that end one.
        sample_lines: How many lines or units a forecast reads.
        disk_per_byte: Bytes of disk that a byte of input takes while it is loaded.
        in_ranges: Whether the loader reads ranges of its files with an engine, if there is one.
        describes_itself: Whether :attr:`Streams.described` of a load says what :meth:`mapping` would. Then the mapping
            need not be confirmed first.
        family: The :meth:`together` of loaders of one family is called with all their files in a folder.
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
        """Return how likely the first decompressed bytes are of this format, from 0 to 1."""

    @abstractmethod
    def read(self, work: Work) -> Mapping[str, int]:
        """Read ``work.files`` in one pass into tables of ``work.db``, and return counts.

        It sets ``work.lines`` and reports rejects with ``work.reject``. The count ``blank`` is the number of lines that
        state nothing, which are dropped under that name. Other counts are notes for the report. A call may be
        interrupted at any point and repeated: whatever it had made is removed first.
        """

    @abstractmethod
    def clean(self, work: Work) -> Streams:
        """Apply the rules to what was read. It may leave small tables, and may be interrupted like :meth:`read`."""

    def check_installed(self, file: Path) -> None:
        """Raise MissingPackageError if reading the file needs a package that is not installed."""
        return

    def describe(self, head: bytes) -> Source:
        """Return the source of the facts, by the first bytes. Each source is a separate load."""
        return self.source

    def named(self, path: Path) -> Source | None:
        """Return a source named after the file, or None to use that of :meth:`describe`."""
        return None

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """Return the sources of a load, in the order to which the column ``source`` refers.

        This is called before anything else, and the names are distinct. ``source`` is the caller's choice or the
        default, with the name of the load. It need not be among the result. The result must depend only on the
        arguments and the files' content, so that a killed load finds the same sources again. When the loader reads,
        they are in ``work.sources``.
        """
        return (source,)

    def mapping(self, files: Sequence[Path], *, extra: Mapping[str, str]) -> list[str]:
        """Describe how the content is understood, after corrections in ``extra``. Raises UsageError, FormatError."""
        return []

    def together(self, files: Sequence[Path], *, named: bool, extra: Mapping[str, str]) -> Loader | None:
        """Return the loader that reads all the files as one feed of related tables, or None to read each file alone.

        It is also called for a single file. ``named`` is True if a person gave all files one name.
        """
        return None

    def refer(self, files: Sequence[Path], extra: Mapping[str, str]) -> bool:
        """Return True if files that were named one by one refer to each other, so that they are one feed."""
        return False

    def quote(
        self, path: Path, *, line: int, around: int, check: Callable[[], None], extra: Mapping[str, str]
    ) -> Sequence[tuple[int, str]] | None:
        """Return row ``line`` and its neighbours as (number, ``column: cell · …``), or None if locators count lines.

        ``check`` is called from time to time and may raise to stop. ``extra`` has the options that a person chose for
        the load, such as its ``header_row``.
        """
        return None


Loader: TypeAlias = BaseLoader


def qualifiers_text(qualifiers: Iterable[Sequence[str]]) -> str:
    r"""Return qualifiers as the column stores them: sorted and distinct, ``[["P580", "\\"1999\\"^^xsd:gYear"], …]``."""
    pairs = {(key, value) for key, value in qualifiers}
    return f"[{', '.join([f'[{_text(key)}, {_text(value)}]' for key, value in sorted(pairs)])}]"


@cache
def loaders() -> Mapping[str, Loader]:
    """Return all installed loaders by name, in ascending order.

    Raises UsageError if a package installs something that is not a loader.
    """
    found: dict[str, Loader] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        made = entry.load()
        loader = check_loader(made() if isinstance(made, type) else made)
        found[loader.name] = loader
    return dict(sorted(found.items()))


def check_loader(loader: object) -> Loader:
    """Return the loader, if it is one. Otherwise raise UsageError that says what is missing."""
    if isinstance(loader, type):
        raise UsageError(
            f"{loader.__name__} is a class, not a loader.", remedy=f"Pass an instance: {loader.__name__}()."
        )
    if not isinstance(loader, BaseLoader):
        raise UsageError(
            f"{loader!r} is not a loader.",
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
        return check_loader(format)
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


def format_file_name(file: Path) -> str:
    r"""Return the name of a file as text. Bytes that are not UTF-8 are shown as ``\\xe9``."""
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

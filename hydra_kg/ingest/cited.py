"""Show the line of a loaded file that a citation names, with its neighbours, if the file has not changed."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from hydra_kg.errors import FormatError, LoadError, NotFoundError
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.formats.archives import chunks
from hydra_kg.ingest.loaded_files import LoadedFiles, descriptor_path, open_plain_file, state_of
from hydra_kg.util.fast_dataclass import dataclass, field

State = Literal["as loaded", "changed", "gone", "unreadable", "unchecked", "not loaded here"]

AROUND: Final = 3
"""Number of lines to show before and after the cited one."""

SECONDS: Final = 60.0
"""Seconds to search for a line. This is enough for some 15 GB of text."""

SHOWN: Final = 2_000
"""Number of characters of the cited line that are shown. Its neighbours get a fifth of that."""

_BLOCK: Final = 1 << 20  # bytes that are read at once for a checksum
_MOST_LINE_BYTES: Final = 16 << 20  # bytes of a line that are looked at: entities of Wikidata take up to some megabytes
_PLACE: Final = re.compile(r"(.+):([0-9]{1,15})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A line of a file, as a load recorded it.

    Attributes:
        folder: The folder of the file at that time, or "" if it was not recorded.
        choices: The options that a person chose for the load.
    """

    load: str
    format: str
    file: str
    line: int
    folder: str = ""
    bytes: int = 0
    sha256: str = ""
    unit: str = "lines"
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A cited file and its ``path``.

    ``reads`` opens the file. It is None if the file cannot be opened, and then ``why`` and ``remedy`` say why not and
    what to do.
    """

    path: Path
    state: State
    reads: Path | None = None
    why: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line or row as it is shown. ``cut`` is True if part of it is left out."""

    number: int
    text: str
    cited: bool
    cut: bool = False


def place_of(reference: str, loads: Sequence[Mapping[str, Any]], *, source: str = "") -> CitedPlace:
    """Return the place that a reference names, for example ``freebase.nt.gz:6455`` or ``freebase:6455``.

    The reference is the locator of an answer, or the name of a source or load with a line. If several loads have files
    of that name, ``source`` decides. Raises NotFoundError if no load matches.
    """
    ready = [load for load in loads if load["state"] == "ready"]
    ready.sort(key=lambda load: source not in {load["name"], *(s["name"] for s in load["sources"])})
    for text in _readings(reference.strip()):
        if (named := _PLACE.fullmatch(text)) is None:
            continue
        for load in ready:
            if (place := _find_in_load(load, named[1], int(named[2]))) is not None:
                return place
    raise NotFoundError(
        f"No loaded file or source has this name: {reference}.",
        remedy="Give FILE:LINE as an answer cites it, or SOURCE:LINE; hydra-kg sources list names the sources. "
        "A source that was dropped or loaded again has other lines.",
    )


@contextmanager
def open_cited(
    place: CitedPlace, given: Path | None = None, *, seconds: float = SECONDS, record: LoadedFiles | None = None
) -> Iterator[CitedFile]:
    """Open the file behind a citation if it is the file that was loaded. Otherwise say why it cannot be shown.

    A file that the store names is opened only if this user loaded it on this machine. Links are not followed, and size
    and SHA-256 must be those of the loaded file.

    Attributes:
        given: The file or its new folder, as the user names it. It then replaces the record of loaded files.
        seconds: How long the checksum may take, 0 for no limit. It is remembered until the file changes.
        record: This user's record of loaded files.
    """
    record = record if record is not None else LoadedFiles()
    located = _locate_file(place, given, record)
    if isinstance(located, CitedFile):
        yield located
        return
    path, opens = located
    try:
        file = open_plain_file(opens)
    except OSError as e:
        yield _report_unopened(path, place, e)
        return
    try:
        yield _verify_file(file, path, opens, place, record, _clock(place, seconds))
    finally:
        os.close(file)


def show_lines(
    place: CitedPlace,
    given: Path | None = None,
    *,
    seconds: float = SECONDS,
    needles: Sequence[str] = (),
    record: LoadedFiles | None = None,
) -> tuple[CitedFile, list[Line]]:
    """Return the cited file and the lines around the place, if the file is unchanged.

    Raises LoadError and NotFoundError.
    """
    with open_cited(place, given, seconds=seconds, record=record) as cited:
        if cited.reads is None or place.unit != "lines":
            return cited, []
        try:
            return cited, lines_at(cited.reads, place, seconds=seconds, needles=needles)
        except FormatError:
            why, remedy = (
                f"{place.file} is no text, so none of its lines is shown.",
                "Open it at the place that is cited.",
            )
            return replace(cited, reads=None, why=why, remedy=remedy), []


def _locate_file(place: CitedPlace, given: Path | None, record: LoadedFiles) -> tuple[Path, Path] | CitedFile:
    """Return the path that the user knows and the path to open, or the reason why the file may not be opened."""
    if given is not None:
        path = given / Path(place.file).name if given.is_dir() else given
        return path, path.resolve()
    path = Path(place.folder) / place.file
    if not place.folder:
        return CitedFile(
            path,
            "gone",
            why=f"This store does not say where {place.file} was when it was loaded.",
            remedy="Name its place with --file PATH.",
        )
    opens = record.find({"folder": place.folder, "name": place.file, "sha256": place.sha256})
    if opens is None:
        return CitedFile(
            path,
            "not loaded here",
            why=f"No load of yours on this machine has read {place.file}, so it is not opened: a store from elsewhere "
            "may name any file.",
            remedy="If this store is your own, hydra-kg sources trust lets it show its files. Otherwise name your copy "
            "of the file with --file PATH.",
        )
    return path, opens


def _report_unopened(path: Path, place: CitedPlace, error: OSError) -> CitedFile:
    """Return why a cited file cannot be opened, with a remedy."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return CitedFile(
            path,
            "gone",
            why=f"{place.file} is not where it was when it was loaded.",
            remedy="If it was moved, name its new place with --file PATH.",
        )
    if error.errno in (errno.ELOOP, errno.EINVAL):
        return CitedFile(
            path,
            "unreadable",
            why=f"{place.file} is now a link, is reached through one, or is not a regular file, so it is not opened.",
            remedy="Put the file itself back, or name its place with --file PATH.",
        )
    return CitedFile(
        path,
        "unreadable",
        why=f"{place.file} cannot be opened: {os.strerror(error.errno or 0)}.",
        remedy="Make it readable, or name a copy of it with --file PATH.",
    )


def _verify_file(
    file: int, path: Path, opens: Path, place: CitedPlace, record: LoadedFiles, check: Callable[[], None]
) -> CitedFile:
    """Compare an open file with the loaded one: its size, and its checksum unless that is remembered."""
    before = os.fstat(file)
    found, state = "", state_of(before)
    if before.st_size == place.bytes and place.sha256:
        found = record.checksum(opens, state)
        if not found:
            try:
                found = _checksum(file, check)
            except LoadError:
                return CitedFile(
                    path,
                    "unchecked",
                    why=f"Checking that {place.file} is what was loaded took too long.",
                    remedy="Run hydra-kg show --cite N once with a larger --seconds on that machine (0: as long as it "
                    "takes). The result is remembered until the file changes.",
                )
            if state_of(os.fstat(file)) != state:
                found = ""
            else:
                record.remember(opens, before, found)
    if found and found == place.sha256:
        return CitedFile(path, "as loaded", reads=descriptor_path(file))
    return CitedFile(
        path,
        "changed",
        why=f"{place.file} is not what was loaded, so its lines may be others and are not shown.",
        remedy=f"Name the old file with --file PATH, or load it again with --source {place.load} --replace.",
    )


def _checksum(file: int, check: Callable[[], None]) -> str:
    digest = hashlib.sha256()
    with open(file, "rb", buffering=0, closefd=False) as opened:
        while block := opened.read(_BLOCK):
            digest.update(block)
            check()
    return digest.hexdigest()


def lines_at(
    path: Path, place: CitedPlace, *, around: int = AROUND, seconds: float = SECONDS, needles: Sequence[str] = ()
) -> list[Line]:
    """Return the line and its neighbours in bounded memory.

    The cited line is cut around the first of ``needles`` that it contains. Raises LoadError after ``seconds`` (0 for no
    limit) or for a damaged archive, and NotFoundError if there is no such line.
    """
    check = _clock(place, seconds)
    loader = loaders().get(place.format)
    rows: Iterable[tuple[int, str]] | None = None
    if loader is not None:
        rows = loader.quote(path, line=place.line, around=around, check=check, extra=place.choices)
    if rows is None:
        rows = ((n, data.decode("utf-8", "replace")) for n, data in _near(path, place.line, around, check))
    found = [_line(n, text, cited=n == place.line, needles=needles) for n, text in rows]
    if not any(line.cited for line in found):
        raise NotFoundError(
            f"{place.file} has no line {place.line:,}.",
            remedy="Is it the file that was loaded? Name another with --file PATH.",
        )
    return found


def _readings(reference: str) -> Iterator[str]:
    """Yield what a reference may mean, likeliest first: all of it, then the text in its last brackets."""
    if reference.endswith(")"):
        at = reference.find(" (")
        while at >= 0:
            yield reference[at + 2 : -1]
            at = reference.find(" (", at + 1)
    yield reference


def _find_in_load(load: Mapping[str, Any], name: str, line: int) -> CitedPlace | None:
    """Return the place of a line in a load whose file has that name."""
    details = load["details"]
    files: Sequence[Mapping[str, Any]] = details.get("files") or ()
    whole = str(details.get("file") or " + ".join(str(f["name"]) for f in files))
    if name in (whole, load["name"], *(s["name"] for s in load["sources"])):
        for file in files:
            if line <= int(file["lines"]):
                return _place(load, file, line)
            line -= int(file["lines"])
        return None
    return next((_place(load, f, line) for f in files if f["name"] == name and line <= int(f["lines"])), None)


def _place(load: Mapping[str, Any], file: Mapping[str, Any], line: int) -> CitedPlace:
    """Return the place of a line in a file of a load."""
    details = load["details"]
    return CitedPlace(
        load["name"],
        str(details.get("format", "")),
        str(file["name"]),
        line,
        folder=str(file.get("folder", "")),
        bytes=int(file["bytes"]),
        sha256=str(file.get("sha256", "")),
        unit=str(details.get("unit", "lines")),
        choices=details.get("choices") or {},
    )


def _clock(place: CitedPlace, seconds: float) -> Callable[[], None]:
    """Return a function that raises LoadError after ``seconds``; 0 means no limit."""
    end = time.monotonic() + seconds

    def check() -> None:
        if seconds and time.monotonic() > end:
            raise LoadError(
                f"Line {place.line:,} of {place.file} was not reached in {seconds:g} seconds.",
                remedy="Allow more with --seconds N (0: as long as it takes).",
            )

    return check


def _near(path: Path, line: int, around: int, check: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
    """Return the lines from ``line - around`` to ``line + around`` with their numbers.

    Only the first ``_MOST_LINE_BYTES`` bytes of each line are returned.
    """
    number, first, last = 1, max(1, line - around), line + around
    buffer = bytearray()
    begun = False
    for data in chunks(path):
        check()
        feeds = data.count(b"\n")
        if number + feeds < first:
            number += feeds
            continue
        at = 0
        while at < len(data):
            end = data.find(b"\n", at)
            stop = len(data) if end < 0 else end
            if number >= first:
                begun = True
                buffer += data[at : min(stop, at + _MOST_LINE_BYTES - len(buffer))]
            at = stop + 1
            if end < 0:
                break
            if number >= first:
                yield number, bytes(buffer)
                buffer.clear()
                begun = False
            number += 1
            if number > last:
                return
    if begun:
        yield number, bytes(buffer)


def _line(number: int, text: str, *, cited: bool, needles: Sequence[str]) -> Line:
    most = SHOWN if cited else SHOWN // 5
    if len(text) <= most:
        return Line(number, text, cited)
    hits = (text.find(needle) for needle in needles if needle) if cited else ()
    at = max(0, next((hit for hit in hits if hit >= 0), 0) - most // 4)
    before, after = "…" if at else "", "…" if at + most < len(text) else ""
    return Line(number, f"{before}{text[at : at + most]}{after}", cited, cut=True)

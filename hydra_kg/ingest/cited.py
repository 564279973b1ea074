"""The very line of a loaded file that a citation names, with its neighbours, and where that file is now."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from hydra_kg.errors import LoadError, NotFoundError
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.formats.archives import chunks
from hydra_kg.util.checksums import sha256_of

State = Literal["as loaded", "changed", "gone"]

AROUND: Final = 3
"""Lines before and after the one that is cited."""

SECONDS: Final = 60.0
"""How long a line is looked for: some 15 GB of text."""

SHOWN: Final = 2_000
"""Characters of the cited line that are shown; of its neighbours a fifth."""

_SUMMED: Final = 256 << 20  # bytes of files whose checksum is compared too: a second or less
_MOST_LINE_BYTES: Final = 16 << 20  # bytes of a line that are looked at: entities of Wikidata take up to some megabytes
_PLACE: Final = re.compile(r"(.+):([0-9]{1,15})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A line of a file as a load knows it. ``folder``: where the file was then, "" where nobody noted it."""

    load: str
    format: str
    file: str
    line: int
    folder: str = ""
    bytes: int = 0
    sha256: str = ""
    unit: str = "lines"


@dataclass(frozen=True, slots=True)
class Line:
    """A line or row as it is shown: ``cut`` says that something of it is left out."""

    number: int
    text: str
    cited: bool
    cut: bool = False


def place_of(reference: str, loads: Sequence[Mapping[str, Any]], *, source: str = "") -> CitedPlace:
    """The place that a locator names as answers print it (``freebase.nt.gz:6455``, ``Paris [0:9] (texts.jsonl:5)``), or
    a source and a line (``freebase:6455``). ``source``: whose it is, where several have files of one name.

    Raises NotFoundError for one that no load of the store has.
    """
    ready = [load for load in loads if load["state"] == "ready"]
    ready.sort(key=lambda load: source not in {load["name"], *(s["name"] for s in load["sources"])})
    for text in _readings(reference.strip()):
        if (named := _PLACE.fullmatch(text)) is None:
            continue
        for load in ready:
            if (place := _in_load(load, named[1], int(named[2]))) is not None:
                return place
    raise NotFoundError(
        f"No file or source that is loaded is called so: {reference}.",
        remedy="Give FILE:LINE as an answer cites it, or SOURCE:LINE; hydra-kg sources list names the sources. "
        "A source that was dropped or loaded anew has other lines.",
    )


def find_file(place: CitedPlace, given: Path | None = None) -> tuple[Path | None, State]:
    """Where the file is, and whether it is what was loaded, by its size and, up to 256 MB, its checksum."""
    if given is not None and given.is_dir():
        given = given / place.file
    known = [Path(place.folder) / place.file] if place.folder else []
    for path in [given] if given is not None else [*known, Path(place.file)]:
        if path.is_file():
            return path, "as loaded" if _same(path, place) else "changed"
    return None, "gone"


def remedy_of(place: CitedPlace, state: State, path: Path | None) -> str:
    """What to do where the file is not what was loaded; "" where it is."""
    if state == "changed":
        return (
            f"{path} is not what was loaded: its lines may be others. Name the old file with --file, or load it anew "
            f"with --source {place.load} --replace."
        )
    if state == "gone" and place.folder:
        return f"{Path(place.folder) / place.file} is gone: if it was moved, name its new place with --file PATH."
    if state == "gone":
        return f"Nobody noted where {place.file} was when it was loaded: name its place with --file PATH."
    return ""


def lines_at(
    path: Path, place: CitedPlace, *, around: int = AROUND, seconds: float = SECONDS, needles: Sequence[str] = ()
) -> list[Line]:
    """The line and its neighbours, as text; long ones are cut, the cited one around the first of ``needles`` that
    stands in it. Memory is bounded by what is shown, whatever the file holds.

    ``seconds``: 0 is no limit. Raises LoadError after that long, and for a damaged archive; NotFoundError where the
    file ends before the line.
    """
    check = _clock(path, place, seconds)
    loader = loaders().get(place.format)
    rows: Iterable[tuple[int, str]] | None = None
    if loader is not None:
        rows = loader.quote(path, line=place.line, around=around, check=check)
    if rows is None:
        rows = ((n, data.decode("utf-8", "replace")) for n, data in _near(path, place.line, around, check))
    found = [_line(n, text, cited=n == place.line, needles=needles) for n, text in rows]
    if not any(line.cited for line in found):
        raise NotFoundError(
            f"{path} has no line {place.line:,}.",
            remedy="Is it the file that was loaded? Name another with --file PATH.",
        )
    return found


def _readings(reference: str) -> Iterator[str]:
    """What a reference may mean, likeliest first: it whole, or what stands in its last brackets."""
    if reference.endswith(")"):
        at = reference.find(" (")
        while at >= 0:
            yield reference[at + 2 : -1]
            at = reference.find(" (", at + 1)
    yield reference


def _in_load(load: Mapping[str, Any], name: str, line: int) -> CitedPlace | None:
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
    )


def _same(path: Path, place: CitedPlace) -> bool:
    if place.bytes != path.stat().st_size:
        return False
    if not place.sha256 or place.bytes > _SUMMED:
        return True
    return sha256_of(path) == place.sha256


def _clock(path: Path, place: CitedPlace, seconds: float) -> Callable[[], None]:
    end = time.monotonic() + seconds

    def check() -> None:
        if seconds and time.monotonic() > end:
            raise LoadError(
                f"Line {place.line:,} of {path} was not reached in {seconds:g} seconds.",
                remedy="Allow more with --seconds N (0: as long as it takes).",
            )

    return check


def _near(path: Path, line: int, around: int, check: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
    """Lines ``line`` ± ``around`` with their numbers, the first ``_MOST_LINE_BYTES`` bytes of each."""
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

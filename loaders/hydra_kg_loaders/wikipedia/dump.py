"""Read a MediaWiki dump as independent bz2 streams and pages, each parsed alone without DTD and entities.

A stream of 100 pages begins with ``BZh`` and the digits of π, ten bytes that occur by chance once in 10²⁴.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from hydra_kg.errors import LoadError
from hydra_kg.util.fast_dataclass import dataclass

MOST_PAGE: Final = 16 << 20
"""Number of bytes of XML of the longest page. Wikipedia's own limit is 2 MB of wikitext."""

PIECE: Final = 3 << 19
"""Number of compressed bytes of a piece: some 6 MB of XML, several streams."""

ENGLISH: Final = "https://en.wikipedia.org/wiki/"
TOO_LONG: Final = b"<page><too-long/>"
_SHOWN: Final = 4096
_BLOCK: Final = 1 << 20
_STREAM: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_MARK: Final = 10  # bytes of what the pattern finds
_END: Final = b"</page>"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a dump for one worker: ``length`` bytes from ``start``, whole bz2 streams or plain."""

    path: str
    bz2: bool
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class DumpPage:
    """A page of the dump. ``redirect`` is the title to which it leads, or ""."""

    title: str
    space: int
    id: str
    revision: str
    model: str
    redirect: str
    text: str


@dataclass(frozen=True, slots=True)
class Site:
    """The wiki of a dump.

    It has the prefix of page addresses, the folded name spaces outside articles, and those of files and categories.
    """

    base: str = ENGLISH
    spaces: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()


class PageError(ValueError):
    """A page that is not well-formed. ``place`` is the faulty byte."""

    def __init__(self, reason: str, place: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


def site(head: bytes) -> Site:
    """Return the site of a dump from its first bytes, by default the English Wikipedia."""
    text = head.partition(b"<page>")[0].decode("utf-8", "replace")
    found = re.search(r"<base>(https?://[^<>\s\"&]{1,200}/)[^<>/]*</base>", text)
    spaces, hidden = set(), set()
    for number, name in re.findall(r'<namespace key="(-?\d{1,6})"[^<>]*>([^<>]{1,100})</namespace>', text):
        spaces.add(name.casefold())
        if number in {"6", "14"}:
            hidden.add(name.casefold())
    return Site(found[1] if found else ENGLISH, frozenset(spaces), frozenset(hidden))


def is_multistream(file: Path) -> bool:
    """Return True if a bz2 file has several streams of whole pages, judged by the end of its first one."""
    decoder, plain = bz2.BZ2Decompressor(), b""
    with file.open("rb") as f:
        while not decoder.eof and len(plain) < MOST_PAGE and (data := f.read(1 << 16)):
            try:
                plain += decoder.decompress(data)
            except (OSError, ValueError):
                return False
        more = bool(decoder.unused_data or f.read(1))
    return decoder.eof and more and (b"<page>" not in plain or plain.rstrip().endswith(_END))


def stream_pieces(file: Path, *, size: int = PIECE) -> Iterator[Piece]:
    """Yield the pieces of a multistream file in order. They are searched on demand."""
    start = at = 0
    tail = b""
    with file.open("rb") as f:
        while data := f.read(_BLOCK):
            window = tail + data
            for m in _STREAM.finditer(window):
                place = at - len(tail) + m.start()
                if place - start >= size:
                    yield Piece(str(file), True, start, place - start)
                    start = place
            at += len(data)
            tail = window[-(_MARK - 1) :]
    if at > start:
        yield Piece(str(file), True, start, at - start)


def decompress_piece(piece: Piece) -> Iterator[bytes]:
    """Yield the XML of a piece in chunks of at most a megabyte. Raises LoadError if its compressed data is damaged."""
    with Path(piece.path).open("rb") as f:
        f.seek(piece.start)
        left = piece.length
        if not piece.bz2:
            while left and (data := f.read(min(left, _BLOCK))):
                left -= len(data)
                yield data
            return
        decoder = bz2.BZ2Decompressor()
        data = b""
        fresh = True
        while True:
            if decoder.eof:
                data = decoder.unused_data
                decoder, fresh = bz2.BZ2Decompressor(), True
            if not data and decoder.needs_input:
                data = f.read(min(left, 1 << 18))
                left -= len(data)
                if not data:
                    break
            if fresh and not data.strip(b"\0"):
                data = b""
                continue
            fresh = False
            try:
                plain = decoder.decompress(data, _BLOCK)
            except (OSError, ValueError) as e:
                raise describe_damage(piece, str(e)) from e
            data = b""
            if plain:
                yield plain
        if not fresh:
            raise describe_damage(piece, "a stream ends in the middle")


def describe_damage(piece: Piece, why: str) -> LoadError:
    """Return the error for a file that cannot be read to its end."""
    place = f" near byte {piece.start:,}" if piece.bz2 else ""
    return LoadError(
        f"{Path(piece.path).name} is damaged{place}: {why}.", remedy="Get the file again; nothing of it was loaded."
    )


def cut_pages(chunks: Iterator[bytes], *, most: int = MOST_PAGE) -> Iterator[bytes]:
    """Yield pages in linear time. Those over ``most`` are cut and marked :data:`TOO_LONG`.

    Raises EOFError if a page does not end.
    """
    buffer: list[bytes] = []
    size, inside, skipping = 0, False, False
    rest = b""
    for chunk in chunks:
        data, rest, at = rest + chunk, b"", 0
        while True:
            if not inside:
                begin = data.find(b"<page>", at)
                if begin < 0:
                    rest = data[max(at, len(data) - 5) :]
                    break
                at, inside, buffer, size, skipping = begin, True, [], 0, False
            end = data.find(_END, at)
            stop = end + len(_END) if end >= 0 else max(at, len(data) - len(_END) + 1)
            if not skipping:
                buffer.append(data[at:stop])
                size += stop - at
                if size > most:
                    buffer, skipping = [b"".join(buffer)[:_SHOWN]], True
            at = stop
            if end < 0:
                rest = data[at:]
                break
            yield b"".join((TOO_LONG, *buffer, _END)) if skipping else b"".join(buffer)
            inside, buffer = False, []
    if inside:
        raise EOFError


def unpack_pieces(chunks: Iterator[bytes], folder: Path, *, size: int = 8 << 20) -> Iterator[Piece]:
    """Yield pages as scratch files of about ``size`` bytes, on demand. Raises EOFError if a page does not end."""
    buffer: list[bytes] = []
    total = number = 0

    def flush() -> Piece:
        file = folder / f"pages-{number}.xml"
        file.write_bytes(b"\n".join(buffer))
        return Piece(str(file), False, 0, file.stat().st_size)

    for page in cut_pages(chunks):
        buffer.append(page)
        total += len(page)
        if total >= size:
            yield flush()
            buffer, total, number = [], 0, number + 1
    if buffer:
        yield flush()


def read_page(data: bytes) -> DumpPage:
    """Return one page. Raises PageError for a page that is not well-formed or too long."""
    if data.startswith(TOO_LONG):
        raise PageError("too-long")
    handler = _Handler()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as e:
        raise PageError("xml", parser.ErrorByteIndex) from e
    found = handler.found
    if not found.get("title") or "text" not in found:
        raise PageError("page")
    try:
        space = int(found.get("ns") or 0)
    except ValueError as e:
        raise PageError("page") from e
    return DumpPage(
        found["title"],
        space,
        found.get("id", ""),
        found.get("revision", ""),
        found.get("model", ""),
        found.get("redirect", ""),
        found["text"],
    )


_WANTED: Final = {
    ("page", "title"): "title",
    ("page", "ns"): "ns",
    ("page", "id"): "id",
    ("page", "revision", "id"): "revision",
    ("page", "revision", "model"): "model",
    ("page", "revision", "text"): "text",
}


class _Handler:
    """A SAX handler that collects the text of the wanted elements."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._path: tuple[str, ...] = ()
        self._parts: list[str] | None = None

    def start(self, name: str, attributes: dict[str, Any]) -> None:
        if len(self._path) > 8:
            raise PageError("xml")
        self._path += (name,)
        self._parts = [] if self._path in _WANTED else None
        if name == "redirect" and len(self._path) == 2:
            self.found["redirect"] = attributes.get("title", "")

    def end(self, name: str) -> None:
        if self._parts is not None:
            self.found[_WANTED[self._path]] = "".join(self._parts)
            self._parts = None
        self._path = self._path[:-1]

    def text(self, data: str) -> None:
        if self._parts is not None:
            self._parts.append(data)

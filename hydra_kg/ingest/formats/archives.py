"""Read plain, gzip, bzip2 and Zstandard files in bounded decompressed pieces, and bzip2 from the middle."""

from __future__ import annotations

import bz2
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, Protocol, TypeVar

import numpy as np
from isal import isal_zlib

from hydra_kg.errors import FormatError, LoadError
from hydra_kg.util.installed import zstandard

BLOCK: Final = 512 << 10
"""Size of a block. Larger blocks do not stay in the processor's cache, and from 1 MB on each gets fresh memory pages.
"""
_READ: Final = BLOCK // 8
EMPTY: Final = 1 << 20
"""Number of decompressed bytes of consecutive empty lines after which a compressed file is refused."""

_GZIP: Final = b"\x1f\x8b"
_BZIP2: Final = b"BZh"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = b"\x2a\x4d\x18"  # after a first byte 0x50 to 0x5f: a frame of Zstandard that holds no data
_DAMAGED_GZIP: Final[type[Exception]] = vars(isal_zlib)["error"]  # whose own types call it an instance
_REFUSED: Final = {b"PK\x03\x04": "a zip archive", b"\xfd7zXZ\x00": "an xz archive", b"7z\xbc\xaf": "a 7z archive"}

Count = Callable[[int, int], None]
T = TypeVar("T")
_BLOCK: Final = 0x314159265359
_END: Final = 0x177245385090
_BITS: Final = 48
_COMPRESSED: Final = 1 << 20
_LONGEST: Final = 4 << 20
"""Largest compressed block in bytes. A block has 900,000 bytes of text, and compression hardly makes them longer."""


class _Decompressor(Protocol):
    """The common interface of bz2 and Zstandard decompressors: one member or frame."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes: ...


def compression(head: bytes) -> str:
    """Return ``gzip``, ``bzip2``, ``zstd`` or "" by the first bytes of a file, whatever its name is."""
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith(_BZIP2) and head[3:4].isdigit() and head[4:10] in {b"1AY&SY", b"\x17rE8P\x90"}:
        return "bzip2"
    if head.startswith(_ZSTD) or (head[1:4] == _SKIPPABLE and head[0] >> 4 == 5):
        return "zstd"
    return ""


def chunks(file: Path, count: Count | None = None) -> Iterator[bytes]:
    """Yield a file's decompressed bytes, at most :data:`BLOCK` at a time.

    The bound also applies to archives that decompress to extreme sizes. ``count`` is called with the number of bytes
    read and decompressed. Raises LoadError for damaged data, and FormatError for other archives.
    """
    got = [0, 0]

    def tell(read: int, plain: int) -> None:
        got[0] += read
        got[1] += plain
        if count is not None:
            count(read, plain)

    with file.open("rb") as f:
        head = f.read(16)
        f.seek(0)
        for magic, what in _REFUSED.items():
            if head.startswith(magic):
                raise FormatError(
                    f"{file.name} is {what}, which is not read.",
                    remedy="Unpack it, or pack it with gzip, bzip2 or zstd.",
                )
        kind = compression(head)
        if not kind:
            while data := f.read(BLOCK):
                tell(len(data), len(data))
                yield data
            return
        try:
            plain = _gunzip(f, tell) if kind == "gzip" else _members(f, tell, _makers()[kind])
            yield from skip_empty(plain, file, text=lambda data: data)
        except (_DAMAGED_GZIP, OSError, EOFError, _Damaged) as e:
            if isinstance(e, OSError) and e.errno is not None:
                raise
            raise LoadError(
                f"{file.name} is damaged: {e}; {got[0]:,} bytes of it were read, {got[1]:,} when unpacked.",
                remedy="Get the file again; nothing of it was loaded.",
            ) from e


def skip_empty(pieces: Iterator[T], file: Path, *, text: Callable[[T], bytes]) -> Iterator[T]:
    """Yield the pieces as long as they have content.

    A thousand empty lines compress to one byte, and each would be counted. So this raises LoadError after more than
    :data:`EMPTY` bytes of empty lines. ``text`` returns the bytes of a piece.
    """
    empty = 0
    for piece in pieces:
        data = text(piece)
        empty = empty + len(data) if data.isspace() else 0
        if empty > EMPTY:
            raise LoadError(
                f"{file.name} holds nothing but empty lines for {EMPTY:,} bytes and more.",
                remedy="Get the file again, or take the empty lines out; nothing of it was loaded.",
            )
        yield piece


class _Damaged(Exception):
    """Raised for compressed data that cannot be read on."""


def _makers() -> dict[str, Callable[[], _Decompressor]]:
    return {"bzip2": bz2.BZ2Decompressor, "zstd": _zstd()}


def _zstd() -> Callable[[], _Decompressor]:
    zstd = zstandard()
    longest = {int(zstd.DecompressionParameter.window_log_max): 27}  # 128 MiB, what `zstd --long` makes

    def make() -> _Decompressor:
        return _Zstd(zstd.ZstdDecompressor(options=longest), zstd.ZstdError)

    return make


class _Zstd:
    """A Zstandard frame that raises this module's errors."""

    def __init__(self, inner: _Decompressor, error: type[Exception]) -> None:
        self._inner, self._error = inner, error

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return self._inner.needs_input

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        try:
            return self._inner.decompress(data, max_length)
        except self._error as e:
            raise _Damaged(str(e)) from e


def _members(f: BinaryIO, tell: Count, make: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """Yield all streams of a bzip2 file or frames of a Zstandard file. Only zeros may follow them."""
    member = make()
    while data := f.read(_READ):
        tell(len(data), 0)
        while data or not (member.eof or member.needs_input):
            if member.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                member = make()
            plain = member.decompress(data, BLOCK)
            data = member.unused_data if member.eof else b""
            if plain:
                tell(0, len(plain))
                yield plain
    if not member.eof:
        raise _Damaged("it ends in the middle of the compressed data")


def _gunzip(f: BinaryIO, tell: Count) -> Iterator[bytes]:
    """Yield all members of a gzip file. Only zeros may follow them."""
    member = isal_zlib.decompressobj(31)
    while data := f.read(_READ):
        tell(len(data), 0)
        while data:
            if member.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                member = isal_zlib.decompressobj(31)
            plain = member.decompress(data, BLOCK)
            rest = member.unused_data if member.eof else member.unconsumed_tail
            if plain:
                tell(0, len(plain))
                yield plain
            elif len(rest) == len(data):
                raise _Damaged("what follows is not gzip data")
            data = rest
    if not member.eof:
        raise _Damaged("it ends in the middle of the compressed data")


def read_blocks(file: BinaryIO, start: int, *, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield (place, decompressed block) from the byte ``start`` on. Raises LoadError if a block's checksum is wrong."""
    file.seek(start)
    data, base = b"", start  # the window, and the place of its first byte in the file
    begun, searched = -1, 0  # bit of the window at which the open block begins; bytes that hold no further mark
    while True:
        more = file.read(_COMPRESSED)
        data += more
        for bit, is_block in _marks(data, searched):
            if begun >= 0:
                plain = _decompress_block(data, begun, bit)
                if plain is None:
                    if bit - begun > 8 * _LONGEST:
                        break
                    continue
                yield base + begun // 8, plain
            begun = bit if is_block else -1
        if begun >= 0 and len(data) - begun // 8 > _LONGEST:
            raise _damaged_error(name, base + begun // 8)
        if not more:
            break
        keep = begun // 8 if begun >= 0 else max(0, len(data) - 6)
        searched = max(0, len(data) - 6 - keep)
        if begun >= 0:
            begun -= 8 * keep
            searched = max(searched, 6)  # not the mark of the open block again
        data, base = data[keep:], base + keep
    if begun >= 0:
        raise _damaged_error(name, base + begun // 8)


def _damaged_error(name: str, place: int) -> LoadError:
    return LoadError(
        f"{name} is damaged near byte {place:,}: a block does not decompress.",
        remedy="Get the file again; nothing of it was loaded.",
    )


def _marks(data: bytes, searched: int) -> list[tuple[int, bool]]:
    """Yield (bit, whether a block begins there) for every mark from a byte on, in ascending order."""
    found = []
    for shift in range(8):
        for mark, is_block in ((_BLOCK, True), (_END, False)):
            wide = (mark << (8 - shift)).to_bytes(7, "big")
            inner = wide[1:6]  # the bytes that hold nothing but the mark
            at = data.find(inner, searched + 1)
            while at >= 0:
                seven = int.from_bytes(data[at - 1 : at + 6].ljust(7, b"\0"), "big")
                if seven >> (8 - shift) & (1 << _BITS) - 1 == mark and at + 5 + (shift > 0) <= len(data):
                    found.append((8 * (at - 1) + shift, is_block))
                at = data.find(inner, at + 1)
    return sorted(found)


def _decompress_block(data: bytes, begin: int, end: int) -> bytes | None:
    """Return the decompressed bits of one block, None if they are not a block."""
    first, shift = divmod(begin, 8)
    raw = np.frombuffer(data[first : (end + 7) // 8] + b"\0", np.uint8).astype(np.uint16)
    packed = ((raw[:-1] << shift | raw[1:] >> (8 - shift)) & 0xFF).astype(np.uint8).tobytes()
    whole, rest = divmod(end - begin, 8)
    if whole < 10:
        return None
    last = packed[whole] >> (8 - rest) if rest else 0
    checksum = int.from_bytes(packed[6:10], "big")  # of the block, and so of a stream of one
    tail = ((last << _BITS | _END) << 32 | checksum) << (-(rest + _BITS + 32) % 8)
    stream = b"BZh9" + packed[:whole] + tail.to_bytes((rest + _BITS + 32 + 7) // 8, "big")
    decoder = bz2.BZ2Decompressor()
    try:
        plain = decoder.decompress(stream)
    except (OSError, ValueError):
        return None
    return plain if decoder.eof else None

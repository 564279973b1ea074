"""Read files as they come, gzip, bzip2, Zstandard (all members or frames) or plain, in bounded decompressed pieces."""

from __future__ import annotations

import bz2
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, Protocol, TypeVar

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

"""Decompress the blocks of a bzip2 file one by one, so that readers can begin in the middle.

A block begins with 48 bits that spell π. A block that cannot be decompressed is assumed to extend to the next mark.
"""

from __future__ import annotations

import bz2
from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np

from hydra_kg.errors import LoadError

_BLOCK: Final = 0x314159265359
_END: Final = 0x177245385090
_BITS: Final = 48
_READ: Final = 1 << 20
_LONGEST: Final = 4 << 20
"""Largest compressed block in bytes. A block has 900,000 bytes of text, and compression hardly makes them longer."""


def read_blocks(file: BinaryIO, start: int, *, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield (place, decompressed block) from the byte ``start`` on. Raises LoadError if a block's checksum is wrong."""
    file.seek(start)
    data, base = b"", start  # the window, and the place of its first byte in the file
    begun, searched = -1, 0  # bit of the window at which the open block begins; bytes that hold no further mark
    while True:
        more = file.read(_READ)
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

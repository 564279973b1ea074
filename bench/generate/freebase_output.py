"""Where generated lines go: a file of gzip members, with bad lines of every kind between the good, and a tally."""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.generate.freebase_tables import NS, Text, term

_ALIAS, _TYPE, _PAGE = (term(f"common.topic.{name}") for name in ("alias", "notable_types", "topic_equivalent_webpage"))
BAD_LINES: dict[str, Callable[[bytes], bytes]] = {
    "missing_tab": lambda s: s + b" " + _TYPE + b"\t" + NS + b"film.film>\t.\n",
    "extra_tab_in_literal": lambda s: s + b"\t" + _ALIAS + b'\t"left\tright"@en\t.\n',
    "no_final_dot": lambda s: s + b"\t" + _TYPE + b"\t" + NS + b"film.film>\n",
    "empty": lambda s: b"\n",
    "invalid_utf8": lambda s: s + b"\t" + _ALIAS + b'\t"caf\xe9 \xff"@fr\t.\n',
    "nul": lambda s: s + b"\t" + _ALIAS + b'\t"nul\x00byte"@en\t.\n',
    "quote_in_iri": lambda s: s + b"\t" + _PAGE + b'\t<http://example.org/a"b>\t.\n',
    "space_in_iri": lambda s: s + b"\t" + _PAGE + b"\t<http://example.org/a b>\t.\n",
    "truncated": lambda s: s + b"\t" + term("common.topic.description") + b'\t"The text stops in the mi\n',
}


class Tally:
    """What was written: lines per predicate and per language, nodes per kind."""

    def __init__(self) -> None:
        self.predicates: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.nodes: Counter[str] = Counter()
        self.bad: Counter[str] = Counter()

    @property
    def good(self) -> int:
        """How many good lines."""
        return self.predicates.total()

    def add(self, what: Text, times: int = 1) -> None:
        """Counts a text that was written a number of times."""
        for counter, source in ((self.predicates, what.predicates), (self.languages, what.languages)):
            for key, count in source.items():
                counter[key] += count * times


class Output:
    """The file: blocks of chunks, bad lines between them, compressed by another thread, in order."""

    def __init__(self, file: BinaryIO, *, compress: bool, bad_share: float, tally: Tally, seed: int) -> None:
        self.file, self.tally, self.bad_share = file, tally, bad_share
        self.bytes = 0
        self._rng = np.random.default_rng([seed, 3])
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._waiting: list[Future[bytes]] = []
        self._pack = _gzip_member if compress else bytes

    def write(self, chunks: list[bytes], bad: int | None = None) -> None:
        """One block. ``bad``: how many bad lines to put in; else as many as keep their share."""
        if not chunks:
            return
        done = self.tally.bad.total()
        if bad is None:
            bad = round(self.tally.good * self.bad_share / (1 - self.bad_share)) - done
        kinds = list(BAD_LINES)
        for number, place in enumerate(self._rng.integers(len(chunks), size=max(bad, 0)).tolist(), start=done):
            kind = kinds[number % len(kinds)]
            chunk = chunks[place]
            subject = chunk[: chunk.index(b">") + 1] if chunk[:1] == b"<" else NS + b"m.0z>"
            chunks[place] = chunk + BAD_LINES[kind](subject)
            self.tally.bad[kind] += 1
        self._waiting.append(self._pool.submit(self._pack, b"".join(chunks)))
        self._drain(2)

    def close(self) -> None:
        """Waits for what is under way."""
        self._drain(0)
        self._pool.shutdown()

    def _drain(self, left: int) -> None:
        while len(self._waiting) > left:
            packed = self._waiting.pop(0).result()
            self.bytes += len(packed)
            self.file.write(packed)


def _gzip_member(block: bytes) -> bytes:
    """A gzip member without a time stamp; a file may be several, one after the other, as the dump is."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(block) + packer.flush()

"""Caches of vectors, so that no text is embedded twice, and the vectors of relation texts that are shipped.

A bounded memory has recent texts; a file has the texts that every question needs.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from hydra_kg.domain import Floats
from hydra_kg.ports import Embedder
from hydra_kg.util.sidecar_db import Sealing, add_checksum, count_write, make_private, strip_checksum

Vector = npt.NDArray[np.float32]

_MEMORY = 20_000  # vectors, about 30 MB at 384 dimensions
_STEP = 256  # texts that are computed and written at a time
_ASKED_AT_ONCE = 900  # host parameters of one statement; SQLite's limit was 999 for long
Archive = tuple[str, npt.NDArray[np.uint64], npt.NDArray[np.int8]]


class RecentVectors:
    """The ``memory`` most recent vectors of one model, shared by the threads of a process."""

    def __init__(self, memory: int = _MEMORY) -> None:
        self.vectors: LRUCache[str, Vector] = LRUCache(memory)
        self.lock = threading.Lock()


class CachedEmbedder:
    """Cache around another ``Embedder`` with the same ``name``, ``dimension``, ``checksum`` and vectors.

    The vectors are the same bit by bit, except for relation texts whose vectors are shipped in rounded form.

    ``embed`` remembers the most recent vectors, in ``recent`` if several embedders of one model share them. ``keep`` is
    for texts that come back with every question, the relations of a store. Their vectors are never forgotten and are
    also stored in the SQLite file ``path``, under the checksum of the model. Several processes and threads may share a
    file. A file that cannot be read or written costs time and never an answer: everything is computed, and ``problem``
    says what is wrong with the file.
    """

    def __init__(
        self, inner: Embedder, *, path: Path | None = None, memory: int = _MEMORY, recent: RecentVectors | None = None
    ) -> None:
        self.name = inner.name
        self.dimension = inner.dimension
        self.checksum = inner.checksum
        self.problem = ""
        self._inner = inner
        self._path = path
        self._sealing = None if path is None else Sealing(path, lambda: closing(self._connect()))
        shared = recent or RecentVectors(memory)
        self._recent, self._lock = shared.vectors, shared.lock
        self._cache: dict[str, Vector] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 vectors (n, dimension), each row of length 1; only texts not seen lately are computed."""
        with self._lock:
            known = {text: vector for text in texts if (vector := self._remembered(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = load_shipped_vectors(self.checksum, new)
        if new := [text for text in new if text not in fresh]:
            fresh |= zip(new, self._inner.embed(new), strict=True)
        with self._lock:
            self._recent.update(fresh)
        return self._stack(texts, known | fresh)

    def keep(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> Floats:
        """Return vectors as ``embed`` does, and store them for good.

        Vectors come from the shipped ones or from the file. The others are computed and added to the file. ``progress``
        is called with the number of computed texts and the number of all texts to compute.
        """
        wanted = [text for text in dict.fromkeys(texts) if text not in self._cache]
        found = load_shipped_vectors(self.checksum, wanted)
        found |= self._read([text for text in wanted if text not in found])
        new = [text for text in wanted if text not in found]
        for at in range(0, len(new), _STEP):
            part = new[at : at + _STEP]
            computed = dict(zip(part, self.embed(part), strict=True))
            self._write(computed)
            found |= computed
            if progress is not None:
                progress(at + len(part), len(new))
        with self._lock:
            self._cache.update(found)
        return self._stack(texts, self._cache)

    def _remembered(self, text: str) -> Vector | None:
        vector = self._recent.get(text)
        return self._cache.get(text) if vector is None else vector

    def _stack(self, texts: Sequence[str], vectors: dict[str, Vector]) -> Floats:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([vectors[text] for text in texts])

    # The file. Texts are compared themselves, not their hashes; bytes, because a text may hold lone surrogates.

    def _read(self, texts: Sequence[str]) -> dict[str, Vector]:
        """Return the stored vectors of those texts that have one."""
        found: dict[str, Vector] = {}
        if self._path is None or not texts or not self._path.is_file():
            return found
        keys = {_key(text): text for text in texts}
        asked = list(keys)
        try:
            with closing(self._connect()) as db:
                if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sealed_vectors'").fetchone():
                    return found
                for start in range(0, len(asked), _ASKED_AT_ONCE):
                    part = asked[start : start + _ASKED_AT_ONCE]
                    places = ",".join("?" * len(part))
                    query = f"SELECT text, vector FROM sealed_vectors WHERE model = ? AND text IN ({places})"
                    for key, blob in db.execute(query, [self.checksum, *part]):
                        vector = strip_checksum(blob)  # one that is not as it was written is computed again
                        if vector is not None and len(vector) == 4 * self.dimension:
                            found[keys[key]] = np.frombuffer(vector, dtype="<f4")
        except sqlite3.Error as e:
            self._note(e)
        return found

    def _write(self, vectors: dict[str, Vector]) -> None:
        """Store vectors. A failure is not an error: they are computed again."""
        if self._sealing is None:
            return
        rows = [
            (self.checksum, _key(text), add_checksum(vector.astype("<f4").tobytes()))
            for text, vector in vectors.items()
        ]
        if self._path is not None:
            make_private(self._path)
        try:
            with closing(self._connect()) as db:
                with db:
                    db.execute(
                        "CREATE TABLE IF NOT EXISTS sealed_vectors"
                        " (model TEXT NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, text))"
                    )
                    db.executemany("INSERT OR REPLACE INTO sealed_vectors VALUES (?, ?, ?)", rows)
                    count_write(db)
                self._sealing.after_write(db)
        except sqlite3.Error as e:
            self._note(e)

    def _connect(self) -> sqlite3.Connection:
        """Return a connection for one call, so that threads and forked processes never share one."""
        return sqlite3.connect(str(self._path), timeout=10.0)

    def _note(self, error: sqlite3.Error) -> None:
        self.problem = f"The file of stored vectors {self._path} cannot be used ({error}); it is safe to delete it."


def _key(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def load_shipped_vectors(checksum: str, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
    """Return the shipped unit vectors of those texts that have one.

    ``bench/training/relation_vectors.py`` embedded them, rounded to one byte for each dimension. The result is empty
    for an embedder with another ``checksum``.
    """
    made_for, hashes, rows = _read()
    if made_for != checksum or not texts:
        return {}
    wanted = text_hashes(texts)
    at = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
    found = np.flatnonzero(hashes[at] == wanted)
    vectors = rows[at[found]].astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return {texts[i]: vector for i, vector in zip(found.tolist(), vectors, strict=True)}


def pack_vectors(checksum: str, texts: Sequence[str], vectors: Floats) -> dict[str, Any]:
    """Return the arrays of the shipped file: hashes in ascending order, and rows of signed bytes."""
    hashes = text_hashes(texts)
    order = np.argsort(hashes)
    scaled = vectors * (127.0 / np.abs(vectors).max(axis=1, keepdims=True))
    return {"embedder": checksum, "hashes": hashes[order], "rows": np.rint(scaled).astype(np.int8)[order]}


def text_hashes(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return a 64-bit hash of each text."""
    digests = (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), "<u8")


@cache
def _read() -> Archive:
    shipped = files("hydra_kg.models.embedding").joinpath("relation_vectors.npz")
    with as_file(shipped) as path, np.load(path, allow_pickle=False) as archive:
        return str(archive["embedder"]), archive["hashes"], archive["rows"]

"""Find the nodes around some ids.

One pass writes the links of the lines to disk. Then the ball is widened hop by hop in bounded memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import LoadError
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.number_columns import match

if TYPE_CHECKING:
    import duckdb

Ids = npt.NDArray[np.int64]

NOTHING, LINK, SAME, NAME, TYPED, INNER, KIND = range(7)
"""Kinds of lines: nothing, a hop, a same-as link, the subject's name, a type, a mediator type, a link to a type.

Of a type linked by the last kind only the name is loaded.
"""

MOST: Final = 20_000_000
"""Largest number of ids in a ball: 160 MB, and several times that while the files are read."""

_WINDOW: Final = 4 << 20  # pairs looked at in one go


class Noted(Protocol):
    """Reports the nodes of lines. It is the part of :class:`hydra_kg.ingest.neighbourhood.reach.Part` for widening."""

    lines: list[int]
    """The number of lines of each file, once they were read."""

    def note(self, db: duckdb.DuckDBPyConnection, opened: Mapping[int, BinaryIO]) -> None:
        """Read all lines once, and write ids (NAME, TYPED, INNER) and pairs of ids (LINK, SAME, KIND) as int64."""


class Ball:
    """All nodes within some hops of the seed ids, over all files.

    Mediators and same-as links cost no hop. A hub is not crossed.
    """

    def __init__(self, seeds: Sequence[int], *, hops: int, hub: int = 0, most: int = MOST) -> None:
        self.seeds, self.hops, self.hub, self.most = seeds, hops, hub, most
        self.ids: Ids | None = None
        self.types: Ids | None = None
        """Types of the ids that lie outside the ball."""
        self.unknown: list[int] = []
        """Seed ids that no line links."""

    def collect(self, parts: Sequence[Noted], folder: Path, *, memory: str, threads: int) -> Ids:
        """Read all files once, widen the ball and return its ids in ascending order.

        Raises LoadError for more than ``most``.
        """
        with tempfile.TemporaryDirectory(dir=folder, prefix="around-") as scratch:
            files = _read(parts, Path(scratch), memory=memory, threads=threads)
            self.ids = self._widen(files)
            found = [self.ids[:0], *(pairs[_mask_members(pairs[:, 0], self.ids), 1] for pairs in _pairs(files[KIND]))]
            self.types = np.setdiff1d(self._same(np.setdiff1d(np.concatenate(found), self.ids), files), self.ids)
        return self.ids

    def count(self, parts: Sequence[Noted], folder: Path, *, memory: str, threads: int) -> int:
        """Read the files as :meth:`collect` does, and return the number of lines."""
        _read(parts, folder, memory=memory, threads=threads)
        return sum(sum(part.lines) for part in parts)

    def _widen(self, files: Mapping[int, Path]) -> Ids:
        """Return the ids within ``hops`` hops of the seeds."""
        members = self._same(np.unique(np.array(sorted(self.seeds), np.int64)), files)
        front = members
        seen = [array for pairs in _pairs(files[LINK]) for array in (np.intersect1d(pairs, members),)]
        known = np.unique(np.concatenate(seen)) if seen else members[:0]
        self.unknown = sorted(set(self.seeds) - set(known.tolist()) - set(self._stated(files).tolist()))
        for _ in range(self.hops):
            following: list[Ids] = [members[:0]]
            while len(front):
                new = np.setdiff1d(self._neighbours(front, files), members, assume_unique=True)
                new = np.setdiff1d(self._same(new, files), members, assume_unique=True)
                members = np.union1d(members, new)
                if len(members) > self.most:
                    raise LoadError(
                        f"More than {self.most:,} ids are within {self.hops} hops.",
                        remedy="Go fewer hops, or start from fewer ids.",
                    )
                following.append(new)
                front = self._mediators(new, files)
            front = self._few(np.unique(np.concatenate(following)), files)
        return members

    def _stated(self, files: Mapping[int, Path]) -> Ids:
        seeds = np.array(sorted(self.seeds), np.int64)
        found = [np.intersect1d(ids, seeds) for role in (NAME, TYPED) for ids in _single(files[role])]
        found += [np.intersect1d(pairs, seeds) for pairs in _pairs(files[SAME])]
        return np.unique(np.concatenate(found)) if found else seeds[:0]

    def _neighbours(self, front: Ids, files: Mapping[int, Path]) -> Ids:
        return _others(front, files[LINK])

    def _same(self, found: Ids, files: Mapping[int, Path]) -> Ids:
        """Return the ids with everything that same-as links reach from them."""
        front = found
        while len(front):
            new = np.setdiff1d(_others(front, files[SAME]), found, assume_unique=True)
            found, front = np.union1d(found, new), new
        return found

    def _mediators(self, found: Ids, files: Mapping[int, Path]) -> Ids:
        """Return the nodes that may be mediators, or none if no line states types.

        They have no name, and have a mediator's type or no type.
        """
        if not len(found) or not (files[INNER].stat().st_size or files[TYPED].stat().st_size):
            return found[:0]
        named, typed, inner = (_within(found, files[role]) for role in (NAME, TYPED, INNER))
        return found[~named & (inner | ~typed)]

    def _few(self, found: Ids, files: Mapping[int, Path]) -> Ids:
        """Return the nodes without hubs."""
        if not self.hub or not len(found):
            return found
        degree = np.zeros(len(found), np.int64)
        for pairs in _pairs(files[LINK]):
            for side in (0, 1):
                at = np.searchsorted(found, pairs[:, side])
                at[at == len(found)] = 0
                degree += np.bincount(at[found[at] == pairs[:, side]], minlength=len(found))
        return found[degree <= self.hub]


def ball_tables(db: duckdb.DuckDBPyConnection, ball: Ball) -> None:
    """Make the tables ``ball`` and ``type`` (id) of the ball's ids and types."""
    for table, ids in (("ball", ball.ids), ("type", ball.types)):
        db.execute(f"CREATE TEMP TABLE {table} (id BIGINT)")
        for start in range(0, 0 if ids is None else len(ids), 1 << 20):
            batch = [] if ids is None else ids[start : start + (1 << 20)].tolist()
            db.execute(f"INSERT INTO {table} SELECT unnest(?::BIGINT[])", [batch])


def write_pairs(file: BinaryIO, rows: Mapping[str, Any]) -> None:
    """Write the columns s and o of some rows as pairs."""
    file.write(np.column_stack((np.asarray(rows["s"]), np.asarray(rows["o"]))).astype(np.int64).tobytes())


def _read(parts: Sequence[Noted], folder: Path, *, memory: str, threads: int) -> dict[int, Path]:
    """Read all lines once. Return a file of ids, or of pairs of ids, for each kind of line."""
    files = {role: folder / f"role-{role}" for role in (LINK, SAME, NAME, TYPED, INNER, KIND)}
    opened: dict[int, BinaryIO] = {role: path.open("wb") for role, path in files.items()}
    try:
        with connect_duckdb(memory_limit=memory, threads=threads) as db:
            db.execute(f"SET temp_directory = {sql_text(str(folder / 'spill'))}")
            for part in parts:
                part.note(db, opened)
    finally:
        for file in opened.values():
            file.close()
    return files


def _pairs(path: Path) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the pairs of a file as arrays of shape (n, 2)."""
    for ids in _single(path):
        yield ids.reshape(-1, 2)


def _single(path: Path) -> Iterator[Ids]:
    with path.open("rb") as f:
        while len(ids := np.fromfile(f, np.int64, 2 * _WINDOW)):
            yield ids


def _others(front: Ids, path: Path) -> Ids:
    """Return the other end of every pair with an end in ``front``, in ascending order."""
    found: list[Any] = [front[:0]]
    for pairs in _pairs(path):
        left, right = pairs[:, 0], pairs[:, 1]
        found.append(np.unique(np.concatenate((right[_mask_members(left, front)], left[_mask_members(right, front)]))))
    return np.unique(np.concatenate(found))


def _within(found: Ids, path: Path) -> npt.NDArray[np.bool_]:
    """Return which of ``found`` are in a file of ids."""
    out = np.zeros(len(found), np.bool_)
    for ids in _single(path):
        out[np.searchsorted(found, ids[_mask_members(ids, found)])] = True
    return out


def _mask_members(ids: Ids, wanted: Ids) -> npt.NDArray[np.bool_]:
    """Return for each id whether it is in ``wanted``, which is ascending."""
    return match(wanted, ids) >= 0

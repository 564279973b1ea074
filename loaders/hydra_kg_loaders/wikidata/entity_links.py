"""Find the links between entities in Wikidata's JSON dump, to cut a part out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from hydra_kg import ids
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.feed import GAP, Feed, Progress
from hydra_kg.ingest.neighbourhood.ball import KIND, LINK, NAME, SAME, Ball, write_pairs
from hydra_kg.ingest.workers import run_workers
from hydra_kg.text.quoting import sql_path
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.wikidata import entities as e
from hydra_kg_loaders.wikidata.json_layout import entity_chunks

if TYPE_CHECKING:
    import duckdb

_ID: Final = re.compile(rb'"id":\s*"([QPL][1-9][0-9]{0,17})"')
_BEGIN: Final = 400  # bytes in which an entity says what it is
_EMPTY: Final = frozenset({b"", b"[", b"]", b"[]"})


@dataclass
class EntityLines:
    """Lines of one entity each (port Part).

    A line is loaded whole. Its links to entities outside the ball are left out after reading.
    """

    files: Sequence[Path]
    arguments: tuple[str, str]
    options: Options
    folder: Path
    longest: int
    progress: Progress | None = None
    lines: list[int] = field(default_factory=list)
    lost: list[tuple[int, str, bytes]] = field(default_factory=list)

    def note(self, db: duckdb.DuckDBPyConnection, opened: Mapping[int, BinaryIO]) -> None:
        """Report the nodes of all lines.

        See :class:`hydra_kg.ingest.neighbourhood.reach.Part`. Odd lines link nothing.
        """
        feed = self._feed()
        command = ["-m", "hydra_kg_loaders.wikidata.worker", *self.arguments]
        pieces = ((piece, 1) for piece in feed.pieces(self.folder))
        columns = ", ".join(f"{name!r}: {kind!r}" for name, kind in e.COLUMNS.items())
        wanted = {
            LINK: f"kind = {e.LINK}",
            SAME: f"kind = {e.SAME_AS}",
            KIND: f"kind = {e.LINK} AND p = {ids.encode('P31')}",
        }
        workers = max(1, self.options.threads)
        for made, _ in run_workers(pieces, command=command, workers=workers, folder=self.folder):
            if made.stat().st_size <= 1:
                continue
            db.execute(
                f"CREATE OR REPLACE TEMP TABLE said AS SELECT kind, s, p, o FROM read_csv({sql_path(made)},"
                " delim = '\t', quote = '', escape = '', header = false, new_line = '\\n', auto_detect = false,"
                f" columns = {{{columns}}}, max_line_size = {4 * e.LONGEST + 64}, buffer_size = {16 * e.LONGEST + 64})"
            )
            for role, where in wanted.items():
                pairs = db.execute(f"SELECT s, o FROM said WHERE {where} AND o IS NOT NULL").fetchnumpy()
                write_pairs(opened[role], pairs)
            named = db.execute("SELECT DISTINCT s FROM said WHERE s IS NOT NULL").fetchnumpy()["s"]
            opened[NAME].write(np.asarray(named).astype(np.int64).tobytes())
        self.lines = feed.lines

    def lines_to_load(self, db: duckdb.DuckDBPyConnection, ball: Ball) -> Iterator[tuple[list[int], list[str]]]:
        """Yield the lines of the ball's entities, types, properties, and odd lines.

        See :class:`hydra_kg.ingest.neighbourhood.reach.Part`.
        """
        feed = self._feed()
        inside = _Members(ball)
        before = 0
        for block in feed.blocks():
            numbers, texts = [], []
            for number, line in enumerate(block[:-1].split(b"\n"), before + 1):
                if line != GAP and self._wanted(line, inside):
                    numbers.append(number)
                    texts.append(line.decode())
            before += block.count(b"\n")
            yield numbers, texts
        self.lines = feed.lines
        for aside in feed.set_aside():
            if aside.reason:
                self.lost.append((aside.line, aside.reason, aside.data[:200]))
            elif self._wanted(aside.data, inside):
                yield [aside.line], [aside.data.decode()]

    def _wanted(self, line: bytes, inside: _Members) -> bool:
        found = _ID.search(line, 0, _BEGIN)
        if found is None:
            return line.strip(b" \t\r,") not in _EMPTY
        key = found[1].decode()
        return key[0] == "P" or ids.encode(key) in inside

    def _feed(self) -> Feed:
        return Feed(
            self.files,
            self.folder / "around.aside",
            limit=self.options.limit,
            max_line=max(self.options.max_line, self.longest),
            progress=self.progress,
            read=entity_chunks,
        )


class _Members:
    """Test of whether an id is in a ball or the type of one."""

    def __init__(self, ball: Ball) -> None:
        parts = [ids_ for ids_ in (ball.ids, ball.types) if ids_ is not None]
        self._ids = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)

    def __contains__(self, number: int) -> bool:
        at = int(np.searchsorted(self._ids, number))
        return at < len(self._ids) and int(self._ids[at]) == number

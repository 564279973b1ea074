"""Load only the neighbourhood of some ids (``--around ID,… --hops N``). Lines keep their numbers."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids as terms
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import SAMPLE, BaseLoader, Loader, Streams
from hydra_kg.ingest.contract.work import Work, escape_line
from hydra_kg.ingest.forecast import estimate_plain_bytes, sample_bytes
from hydra_kg.ingest.neighbourhood.ball import Ball, ball_tables
from hydra_kg.ingest.neighbourhood.reach import Part, Reaching
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.text.quoting import sql_text

HUB: Final = 30_000
"""Number of link lines from which a node is a hub: it is loaded but not crossed.

It is three times the limit of questions.
"""

PASSES: Final = 2
"""Passes over the files for any number of hops, because the links found by the first pass stay on disk."""

_LOOK: Final = 48 << 20
_STREAMS: Final = ("links", "values", "names", "passages", "same_as")


class Neighbourhood:
    """Restricts a load to the neighbourhood of some ids, which is found once, when the first file is read."""

    def __init__(self, parts: Sequence[tuple[Loader, Sequence[Path]]], options: Options) -> None:
        """Check the ids and the formats. Raises UsageError without ids, or if a format cannot be cut."""
        extra = options.extra
        keys = [key.strip() for key in extra.get("around", "").split(",") if key.strip()]
        if not keys:
            raise UsageError("--around names no ids.", remedy="Give some, such as m.0jcx,Q937.")
        if strange := [loader.name for loader, _ in parts if not isinstance(loader, Reaching)]:
            raise UsageError(
                f"--around cannot tell what files of the format {strange[0]} link.",
                remedy="Leave those files out, and load them as a whole.",
            )
        self.keys, self.parts, self.options = keys, list(parts), options
        hub = int(extra.get("hub_cap", HUB))
        together = [(f.name, (stat := f.stat()).st_size, stat.st_mtime_ns) for _, files in self.parts for f in files]
        self.extra = {**extra, "around_files": json.dumps(together)}
        """The identity of a load that is resumed: the ball depends on all files of the call."""
        self.ball = Ball([terms.encode(key) for key in keys], hops=int(extra.get("hops", 2)), hub=hub)

    disk_per_byte = 0.2
    """Bytes on disk for each decompressed byte while a part is cut out: 16 for each link."""

    def forecast(self, loader: Loader, files: Sequence[Path]) -> Mapping[str, float]:
        """Return lines, seconds and bytes of scratch of two passes over some files, estimated from a sample."""
        sample = replace(self.options, limit=min(SAMPLE, self.options.limit or SAMPLE))
        few = Neighbourhood([(loader, files[:1])], sample)
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hydra-kg-") as folder:
            lines = few.ball.count(few.lines(Path(folder)), Path(folder), memory=sample.memory, threads=sample.threads)
        spent = time.monotonic() - begun
        plain = sum(estimate_plain_bytes(file, look=_LOOK) for file in files)
        per_line = max(sample_bytes(files[0], lines) / max(lines, 1), 1)
        total = max(plain / per_line, lines) if lines >= sample.limit or len(files) > 1 else lines
        total = min(total, self.options.limit) if self.options.limit else total
        return {
            "lines": round(total),
            "passes": PASSES,
            "seconds": round(PASSES * spent * total / max(lines, 1), 1),
            "bytes_scratch": round(self.disk_per_byte * plain),
            "bytes_store": 0,
        }

    def loader(self, inner: Loader) -> Loader:
        """Return a loader that reads only the part of the files within the ball."""
        return _AroundLoader(inner, self)

    def collect(self, work: Work) -> None:
        """Find the ids if that was not done yet. Raises NotFoundError if no line mentions any of the given ones."""
        if self.ball.ids is not None:
            return
        parts, before = self.lines(work.folder), 0
        total = sum(f.stat().st_size for part in parts for f in part.files)
        for part in parts:
            part.progress = _reporter(work, "load.links", before, total)
            before += sum(f.stat().st_size for f in part.files)
        self.ball.collect(parts, work.folder, memory=work.options.memory, threads=work.options.threads)
        if len(self.ball.unknown) == len(set(self.ball.seeds)):
            raise NotFoundError(f"The files contain no facts about {', '.join(self.keys)}.", remedy="Check the ids.")

    def lines(self, folder: Path) -> list[Part]:
        """Return the lines of all files."""
        out = []
        for loader, files in self.parts:
            assert isinstance(loader, Reaching)
            options = replace(self.options, rules={k: v for k, v in self.options.rules.items() if k in loader.rules})
            out.append(loader.reach(files, options, folder))
        return out


class _AroundLoader(BaseLoader):
    """Copies the lines within the ball to a file, lets the loader read that file, and restores the line numbers."""

    def __init__(self, inner: Loader, around: Neighbourhood) -> None:
        self.inner, self.around = inner, around
        self.name, self.version = inner.name, inner.version
        self.source, self.rules, self.unit = inner.source, inner.rules, inner.unit

    def sniff(self, head: bytes, path: Path) -> float:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        return self.inner.sniff(head, path)

    def read(self, work: Work) -> Mapping[str, int]:
        """Read the lines within the ball. See :class:`hydra_kg.ingest.contract.loader.Loader`.

        It leaves the tables ``origin`` (n, line) and ``outside`` (n).
        """
        self.around.collect(work)
        found = self.inner
        assert isinstance(found, Reaching)
        total = sum(f.stat().st_size for f in work.files)
        part = found.reach(work.files, work.options, work.folder)
        part.progress = _reporter(work, "load.around", 0, total)
        file = work.folder / "around.nt"
        work.db.execute("CREATE TABLE origin (n UBIGINT, line UBIGINT)")
        count = 0
        with file.open("w", encoding="utf-8", newline="\n") as out:
            for numbers, lines in _lines_to_load(work, part, self.around.ball):
                out.writelines(line + "\n" for line in lines)
                rows = ((count + place, number) for place, number in enumerate(numbers, 1))
                count += work.insert("origin", rows, ("UBIGINT", "UBIGINT"))
        files, options = work.files, work.options
        work.files, work.options = (file,), replace(options, limit=0)
        try:
            counts = self.inner.read(work)
        finally:
            work.files, work.options = files, options
            file.unlink()
        work.lines = part.lines
        self._back(work, "read")
        work.reject([(line, reason, 0, escape_line(data)) for line, reason, data in part.lost])
        outside = sum(part.lines) - count - len(part.lost)
        work.db.execute(f"CREATE TABLE outside AS SELECT {outside} AS n")
        ball_tables(work.db, self.around.ball)
        work.db.execute("CREATE TABLE inside AS SELECT id FROM ball UNION SELECT id FROM type")
        return counts

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        streams = self.inner.clean(work)
        self._back(work, "clean")
        found: dict[str, Any] = {
            name: f"SELECT q.* REPLACE (origin.line AS line) FROM ({sql}) AS q JOIN origin ON origin.n = q.line"
            for name in _STREAMS
            if (sql := getattr(streams, name))
        }
        if "links" in found and "links" in streams.derived:  # a line of several links may reach out of the ball
            found["links"] = f"SELECT * FROM ({found['links']}) WHERE o IN (SELECT id FROM inside)"
        dropped = {**streams.dropped, "around": work.one("SELECT n FROM outside")}
        return replace(streams, **found, dropped=dropped)

    @staticmethod
    def _back(work: Work, step: str) -> None:
        work.db.execute(
            "UPDATE reject SET line = origin.line FROM origin WHERE origin.n = reject.line AND"
            f" reject.step = {sql_text(step)}"
        )


def _lines_to_load(work: Work, part: Part, ball: Ball) -> Iterator[tuple[list[int], list[str]]]:
    with connect_duckdb(memory_limit=work.options.memory, threads=work.options.threads) as db:
        db.execute(f"SET temp_directory = {sql_text(str(work.folder / 'spill-around'))}")
        yield from part.lines_to_load(db, ball)


def _reporter(work: Work, kind: str, before: int, total: int) -> Any:
    progress = work.measured(kind, total=total, unit="bytes", done=before)

    def report(done: int, plain: int, lines: int) -> None:
        progress.reach(before + done, lines=lines)

    return report

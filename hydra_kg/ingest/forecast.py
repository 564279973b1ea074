"""Forecast lines, time and disk of a load from a sample of the file, and check that they fit."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from hydra_kg.domain import Source
from hydra_kg.errors import DiskFullError, FormatError, LoadError
from hydra_kg.events import Listener
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.feed import PIECE, chunks
from hydra_kg.ingest.contract.loader import Loader
from hydra_kg.text.folding import bytes_text

_FIXED: Final = 0.4  # seconds of a sample that a longer file does not take again
_FEW: Final = 4 << 20
_MANY: Final = 48 << 20  # decompressed bytes that are looked at for a quick and for a careful guess


def forecast(
    loader: Loader, files: Sequence[Path], *, options: Options, listener: Listener, sources: Sequence[Source] = ()
) -> Mapping[str, float]:
    """Forecast lines, seconds, scratch and load bytes from the start of the first file."""
    from hydra_kg.ingest.contract.work import Work
    from hydra_kg.ingest.staging.sorting import prepare

    begun = time.monotonic()
    plain = sum(estimate_plain_bytes(file, look=_MANY) for file in files)
    most = loader.sample_lines
    sample = min(most, options.limit) if options.limit else most
    with tempfile.TemporaryDirectory(prefix="hydra-kg-") as folder:
        few = replace(options, limit=sample)
        with Work(Path(folder), loader, files[:1], options=few, listener=listener, sources=sources) as work:
            rows = prepare(work, loader).rows()
            lines = max(sum(work.lines), 1)
            texts = work.one(
                "SELECT (SELECT coalesce(sum(strlen(text)), 0) FROM name)"
                " + (SELECT coalesce(sum(strlen(text)), 0) FROM passage)"
            )
            terms = work.one("SELECT coalesce(sum(strlen(text)), 0) FROM term")
            used = sum(f.stat().st_size for f in Path(folder).iterdir() if f.is_file())
    spent = time.monotonic() - begun
    per_line = sample_bytes(files[0], lines, end=loader.unit_end) / lines
    total = max(plain / per_line, lines) if lines >= sample or len(files) > 1 else lines
    if options.limit:
        total = min(total, options.limit)
    times = total / lines
    size = 26 * rows["links"] + 16 * rows["values"] + 24 * rows["nodes"] + 12 * rows["terms"] + terms + 3 * texts
    return {
        "lines": round(total),
        "seconds": round(1.0 + 1.2 * max(spent - _FIXED, 0.1) * times, 1),
        "bytes_scratch": round(1.1 * used * times) + min(plain, 3 * PIECE),
        "bytes_store": round(size * times),
        "facts": round((rows["links"] + rows["values"]) * times),
    }


def estimate_plain_bytes(file: Path, *, look: int = _FEW) -> int:
    """Return the decompressed size of a file: exact up to ``look`` bytes, else estimated from that beginning."""
    read = plain = 0
    whole = (0, 0)  # up to a piece of compressed data that is decompressed to its end

    def count(more_read: int, more_plain: int) -> None:
        nonlocal read, plain, whole
        if more_read:
            whole = (read, plain)
        read += more_read
        plain += more_plain

    try:
        with suppress(LoadError):  # a damaged archive: the reader says so, and may be told to stop before that
            for _ in chunks(file, count):
                if whole[1] >= look:
                    return round(file.stat().st_size * whole[1] / whole[0])
    except FormatError:  # an archive that its reader unpacks by itself
        return file.stat().st_size
    return plain


def check_disk(folder: Path, files: Sequence[Path], options: Options, *, per_byte: float) -> None:
    """Raise DiskFullError before writing if the disk is too small for ``per_byte`` bytes per decompressed byte."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = sum(estimate_plain_bytes(file) for file in files)
    if options.limit:
        plain = min(plain, options.limit * 400)
    present = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    need = round(plain * per_byte) - present
    free = shutil.disk_usage(folder).free
    if need > free:
        raise DiskFullError(
            f"The load needs about {bytes_text(need)} of disk, and {bytes_text(free)} are free where the store is.",
            remedy="Free space, choose another disk with --store, or load a part with --limit.",
        )


def free_bytes(path: Path) -> int:
    """Return the free bytes of the disk of a folder, which need not exist yet."""
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free


def sample_bytes(file: Path, lines: int, *, end: bytes = b"\n") -> int:
    """Return the decompressed bytes of the first lines, or of other units that end with ``end``."""
    total = seen = 0
    try:
        pieces = chunks(file)
        first = next(pieces, b"")
    except FormatError:  # an archive that its reader unpacks by itself
        return file.stat().st_size
    for data in itertools.chain([first], pieces):
        here = data.count(end)
        if seen + here >= lines:
            at = -1
            for _ in range(lines - seen):
                at = data.find(end, at + 1)
            return total + at + 1
        seen += here
        total += len(data)
    return total

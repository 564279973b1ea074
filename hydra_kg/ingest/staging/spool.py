"""Copy standard input to a compressed file, because loads read their input more than once."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from hydra_kg.errors import DiskFullError, NotFoundError, UsageError
from hydra_kg.ingest.formats.archives import BLOCK, compression
from hydra_kg.util.installed import zstandard

STDIN: Final = Path("-")
NAME: Final = "stdin"
"""The name of standard input in locators and reports."""

_SCRATCH: Final = "hydra-kg-stdin-"


@contextmanager
def spool_stdin(
    files: Sequence[Path], *, near: object = None, stdin: BinaryIO | None = None
) -> Iterator[Sequence[Path]]:
    """Yield the files with ``-`` replaced by a temporary file with all of standard input.

    The file is compressed with Zstandard and on the same disk as the folder ``near``. Such a load cannot be resumed.
    ``stdin`` is a stream to read in place of the process's own input. Raises UsageError if ``-`` is named twice or the
    input is a keyboard, NotFoundError for empty input, and DiskFullError.
    """
    files = [Path(f) for f in files]
    if STDIN not in files:
        yield files
        return
    source = stdin if stdin is not None else sys.stdin.buffer
    if files.count(STDIN) > 1:
        raise UsageError("Standard input is named twice.", remedy="Name - once.")
    if source.isatty():
        raise UsageError(
            "Standard input is the keyboard.",
            remedy="Pipe something into it, as in: lbzcat dump.json.bz2 | hydra-kg load -",
        )
    folder = near if isinstance(near, Path) and near.is_dir() else None
    with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder) as scratch:
        path = Path(scratch) / NAME
        try:
            if not write_down(source, path):
                raise NotFoundError("Nothing came through standard input.", remedy="Check the command before the pipe.")
        except OSError as e:
            raise DiskFullError(
                f"Standard input could not be saved in {scratch}: {e}.", remedy="Free space, or load from a file."
            ) from e
        yield [path if f == STDIN else f for f in files]


def write_down(source: IO[bytes], path: Path) -> int:
    """Copy a stream into a file, and compress it if it is not compressed. Return the number of bytes read."""
    head = b""
    while len(head) < 16 and (more := source.read(16 - len(head))):
        head += more
    total, data = 0, head
    with path.open("wb") if compression(head) else zstandard().open(path, "wb", level=1) as out:
        while data:
            total += len(data)
            out.write(data)
            data = source.read(BLOCK)
    return total


def folder_of(file: Path) -> str:
    """Return the folder of a file for a load to remember, so that its lines can be shown later.

    It is "" for standard input.
    """
    permanent = file.name != NAME or not file.parent.name.startswith(_SCRATCH)
    return str(file.parent.resolve()) if permanent else ""


def file_entry(file: Path, *, lines: int, sha256: str, url: str = "") -> dict[str, Any]:
    """Return what a load remembers of a file.

    ``url`` is where it was fetched from; then the local file is temporary.
    """
    entry: dict[str, Any] = {"name": file.name, "folder": "" if url else folder_of(file), "bytes": file.stat().st_size}
    return {**entry, "lines": lines, "sha256": sha256, **({"url": url} if url else {})}

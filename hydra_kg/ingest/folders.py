"""A folder as what to load: the files in it whose format some loader recognises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hydra_kg.errors import FormatError, NotFoundError

MOST: Final = 100_000
"""Files of a folder and those in it."""


def expanded(
    paths: Sequence[Path], *, recognised: Callable[[Path], object], skipped: Callable[[Path], None] = lambda _: None
) -> list[Path]:
    """The paths with each folder replaced by its files, by name, those of folders in it too. Hidden ones, empty ones
    and links are left out; those that ``recognised`` raises FormatError for are told to ``skipped``.

    Raises NotFoundError for a folder in which there is nothing to load.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        here = []
        for file in _files(path):
            try:
                recognised(file)
            except FormatError:
                skipped(file)
            else:
                here.append(file)
        if not here:
            raise NotFoundError(
                f"There is nothing to load in {path}.",
                remedy="No file in it is of a known format; an unknown name after --as lists them.",
            )
        found += here
    return found


def _files(folder: Path) -> Iterator[Path]:
    number = 0
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or path.is_symlink() or not path.is_file() or not path.stat().st_size:
            continue
        number += 1
        if number > MOST:
            raise NotFoundError(f"{folder} holds more than {MOST:,} files.", remedy="Load folders in it one by one.")
        yield path

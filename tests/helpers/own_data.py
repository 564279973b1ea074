"""A store of somebody's own files, written, loaded and opened for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from hydra_kg import Hydra


def loaded(folder: Path, files: Mapping[str, str], *, together: str = "") -> Iterator[Hydra]:
    """Write texts by file name, load them, and yield the opened store: a file alone, or the folder ``together``."""
    place = folder / together
    place.mkdir(exist_ok=True)
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(place if together else place / next(iter(files)))
        yield hydra

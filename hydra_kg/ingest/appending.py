"""Append rows to a loaded table.

The files of the earlier load and the new ones are read together, and a later row replaces an earlier one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.ingest.contract.choices import Options, rules_in_force
from hydra_kg.ingest.contract.loader import Loader, loaders
from hydra_kg.ingest.contract.work import is_file
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.source_code import sha256_of

FAMILY: Final = "tables"
BATCHES: Final = "batches"
"""Option of the table loader: for each file, the number of the load that it came with, separated by commas."""

DESCRIBED: Final = "described"
"""Option of the feed loader: how the feed was understood in the earlier load, as JSON."""

CHOICES: Final = ("entity", "source_column", "map", "header_row", "comment", BATCHES)
"""Options that a load stores, so that appending can use them again."""

_FEEDS: Final = "feeds"


@dataclass(frozen=True, slots=True)
class Appended:
    """The loader, files and options to use instead of the new files alone."""

    loader: Loader
    files: tuple[Path, ...]
    extra: Mapping[str, str]


def append_files(
    loads: Sequence[Mapping[str, Any]], name: str, loader: Loader, files: Sequence[Path], *, extra: Mapping[str, str]
) -> Appended | None:
    """Return the files of the ready load ``name`` together with new ones, or None if there is no such load.

    Files with equal content count once. Column choices of the earlier load stay unless ``extra`` changes them. Raises
    UsageError if a format is not a table, and NotFoundError if a loaded file is missing or has changed.
    """
    load = next((load for load in loads if load["name"] == name and load["state"] == "ready"), None)
    if load is None:
        return None
    details = load["details"]
    known = loaders().get(str(details.get("format")))
    if known is None or known.family != FAMILY or loader.family != FAMILY:
        raise UsageError(
            f"Only tables can be appended to, and {name} is {details.get('format')}, the new files {loader.name}.",
            remedy="Load the files under a name of their own, with --source NAME.",
        )
    new = [sha256_of(file) for file in files]
    before: Sequence[Mapping[str, Any]] = details["files"]
    chosen: Mapping[str, str] = details.get("choices") or {}
    numbers = chosen.get(BATCHES, "").split(",") if chosen.get(BATCHES) else ["0"] * len(before)
    old = [(_find_loaded_file(f, name), n) for f, n in zip(before, numbers, strict=True) if f["sha256"] not in new]
    last = max((int(n) for _, n in old), default=-1) + 1
    together = (*(file for file, _ in old), *files)
    same = {k: chosen[k] for k in CHOICES if k in chosen}
    merged = {**same, **extra, BATCHES: ",".join([*(n for _, n in old), *[str(last)] * len(files)])}
    feed = (details.get("described") or {}).get("feed")
    if feed and _FEEDS not in merged:
        merged[DESCRIBED] = json.dumps(feed)
    return Appended(known if len(together) > 1 or known.name != loader.name else loader, together, merged)


def get_loaded_inputs(load: Mapping[str, Any]) -> tuple[tuple[Path, ...], dict[str, str]]:
    """Return the files of a load and the options that it was loaded with, to load it again.

    Raises NotFoundError if a file is missing or has changed.
    """
    details = load["details"]
    chosen: Mapping[str, str] = details.get("choices") or {}
    files = tuple(_find_loaded_file(file, str(load["name"])) for file in details["files"])
    return files, {name: chosen[name] for name in CHOICES if name in chosen}


def _find_loaded_file(file: Mapping[str, Any], name: str) -> Path:
    """Return a file of the earlier load. Raises NotFoundError if it is missing or has changed."""
    path = Path(str(file.get("folder") or "")) / str(file["name"])
    if not file.get("folder") or not path.is_file():
        raise NotFoundError(
            f"{path}, from which {name} was loaded, is gone.",
            remedy="Put it back, or load all rows again with --replace.",
        )
    if path.stat().st_size != file["bytes"] or sha256_of(path) != file["sha256"]:
        raise NotFoundError(
            f"{path}, from which {name} was loaded, has changed.",
            remedy="Restore it and put new rows into a file of their own, or load the changed file with --replace.",
        )
    return path


def checksums(files: Sequence[Path]) -> tuple[str, list[str]]:
    """Return the SHA-256 of each file, and one over all of them."""
    sums = [sha256_of(file) for file in files]
    return (sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()), sums


def checksum_of_request(loader: Loader, options: Options, *, files: Sequence[Path], sums: Sequence[str]) -> str:
    """Return one checksum of the format, the files' SHA-256 ``sums``, and the options with any files that they name."""
    chosen = {k: v for k, v in asdict(options).items() if k not in {"memory", "threads", "rules"}}
    chosen["extra"] = {
        name: sha256_of(Path(value)) if is_file(value) else value for name, value in options.extra.items()
    }
    parts = [
        loader.name,
        loader.version,
        rules_in_force(loader, options.rules),
        chosen,
        [f.name for f in files],
        [*sums],
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

"""Examines an embedded store: checksums, leftovers, same-as classes that were not fused, free space."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from hydra_kg import ids
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.common.abilities import Finding, worst_first
from hydra_kg.stores.embedded.catalog.catalog import FILE as CATALOG
from hydra_kg.stores.embedded.catalog.catalog import REBUILD as REBUILD_CATALOG
from hydra_kg.stores.embedded.catalog.catalog import Catalog, LoadRow, decide
from hydra_kg.stores.embedded.catalog.catalog_checks import difference_from_files
from hydra_kg.stores.embedded.catalog.generation import GENERATION, open_generation, read_merged_name
from hydra_kg.stores.embedded.catalog.generation_bounds import check_generation
from hydra_kg.stores.embedded.catalog.locks import is_loading
from hydra_kg.stores.embedded.reads.links import FILE as PAIRS
from hydra_kg.stores.embedded.segments.array_bounds import check_segment
from hydra_kg.stores.embedded.segments.array_folder import verify
from hydra_kg.stores.embedded.segments.disk_full import folder_bytes, free_bytes
from hydra_kg.stores.embedded.segments.format import SEGMENT, Segment, open_segment
from hydra_kg.stores.embedded.segments.merged_adjacency import MERGED, REBUILD
from hydra_kg.stores.embedded.traces import find_changed_answer
from hydra_kg.stores.embedded.upkeep.compaction import MANY, get_merged_folder, places
from hydra_kg.stores.shard_folder import NAME_INDEX, find_unused, index_folder
from hydra_kg.util.sidecar_db import broken_seal, open_to_read, strip_checksum

LOW = 1 << 30
VECTORS = "vectors.sqlite"  # kept by the embedder
TRACES = "traces.sqlite"
WEB = "web.sqlite"


def examine(store: Path, catalog: Catalog) -> list[Finding]:
    """Return all findings, errors first. Reads every byte of the store once."""
    number, ready = catalog.ready()
    wrong = difference_from_files(store, catalog)
    lost = f"{catalog.path} is not the catalog that was last written here: {wrong}."
    found = [
        *([Finding("error", lost, REBUILD_CATALOG)] if wrong else []),
        *_files(store, 0 if wrong else number, ready),
        *_pending_loads(store, catalog),
        *_name_indexes(store, catalog),
        *_side_files(store),
        *_leftovers(store, number, catalog.loads()),
        *_space(store),
    ]
    return worst_first(found)


def _files(store: Path, number: int, ready: list[LoadRow]) -> Iterator[Finding]:
    """Yield a finding for each load or generation with missing or damaged files."""
    segments: list[Segment] = []
    for row in ready:
        try:
            folder = store / "loads" / row.id
            verify(folder, magic=SEGMENT)
            segments.append(open_segment(folder))
            check_segment(segments[-1])
            yield from _texts(row, segments[-1])
        except (StoreCorruptError, OSError) as e:
            yield Finding(
                "error",
                f"Load {row.name} is damaged: {str(e).splitlines()[0]}",
                f"hydra-kg sources drop {row.name}, then load its file again.",
            )
    if len(segments) < len(ready) or not number:
        return
    folder = store / "generations" / str(number)
    try:
        if name := read_merged_name(folder):
            verify(get_merged_folder(store, Path(name).name), magic=MERGED)
    except (StoreCorruptError, OSError) as e:
        yield Finding("error", f"The merged links are damaged: {str(e).splitlines()[0]}", REBUILD)
        return
    try:
        verify(folder, magic=GENERATION)
        generation = open_generation(folder, number, segments)
        check_generation(generation, segments)
    except (StoreCorruptError, OSError) as e:
        yield Finding(
            "error",
            f"What is derived over all loads is damaged: {str(e).splitlines()[0]}",
            "Load any source again with --replace: that builds it again.",
        )
        return
    yield from _pairs(folder)
    if (many := places(segments, generation.merged)) > MANY:
        yield Finding("note", f"A walk looks in {many} places, which makes asking slower.", "hydra-kg db compact")
    for members, reason in generation.unfused:
        names = ", ".join(_text(i, segments) for i in members[:8]) + (" …" if len(members) > 8 else "")
        yield Finding(
            "warning",
            f"A same-as class was not fused ({reason}): {names}",
            "Correct the same-as links and load them again with --replace.",
        )


def _pending_loads(store: Path, catalog: Catalog) -> Iterator[Finding]:
    """Yield a finding for each waiting load that is damaged."""
    for row in (row for row in catalog.loads() if row.pending):
        try:
            verify(store / "loads" / row.id, magic=SEGMENT)
        except (StoreCorruptError, OSError) as e:
            yield Finding(
                "error",
                f"The waiting load {row.name} is damaged: {str(e).splitlines()[0]}",
                f"hydra-kg sources discard {row.name}, then load its file again.",
            )


def _texts(row: LoadRow, segment: Segment) -> Iterator[Finding]:
    """Yield a finding if the texts of a load are damaged."""
    with closing(segment.open_texts()) as db:
        try:
            result = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.DatabaseError as e:
            result = str(e)
    if result != "ok":
        yield Finding(
            "error",
            f"The texts of load {row.name} are damaged: {result}",
            f"hydra-kg sources drop {row.name}, then load its file again.",
        )


def _name_indexes(store: Path, catalog: Catalog) -> Iterator[Finding]:
    """Yield findings about the indexes of names, which can all be made again from the loads."""
    for row in catalog.ready()[1]:
        folder = index_folder(store, row.id)
        try:
            if folder.exists():
                verify(folder, magic=NAME_INDEX)
        except (StoreCorruptError, OSError) as e:
            yield Finding(
                "error",
                f"The index of the names of {row.name} is damaged: {str(e).splitlines()[0]}",
                f"Remove {folder}: it is made again when it is needed, or by hydra-kg db index.",
            )
    for folder in find_unused(store, [row.id for row in catalog.loads()]):
        yield Finding("note", f"{folder} is the index of a load that is gone.", "hydra-kg db index removes it.")


def _side_files(store: Path) -> Iterator[Finding]:
    """Yield findings about the other SQLite files: their form, and the content of those with checksums."""
    remedies = {
        CATALOG: REBUILD_CATALOG,
        TRACES: "Remove the file: stored answers are lost, nothing else is.",
        VECTORS: "Remove the file: it is made again with the next question.",
        WEB: "Remove the file: pages are fetched again when a question needs them.",
    }
    for name, remedy in remedies.items():
        if (file := store / name).is_file() and (wrong := _wrong_in(file)):
            yield Finding("error", f"{file} is damaged: {wrong}", remedy)


def _pairs(folder: Path) -> Iterator[Finding]:
    """Yield a finding if the stored two-leg relations changed. The next reader makes them again."""
    if (file := folder / PAIRS).is_file() and strip_checksum(file.read_bytes()) is None:
        yield Finding("warning", f"{file} is not what was written.", "It is made again with the next question.")


def _wrong_in(file: Path) -> str:
    """Return what is wrong with a SQLite file, or "" if nothing is."""
    try:
        with closing(open_to_read(file)) as db:
            if (result := db.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                return str(result)
            if file.name == VECTORS:
                sealed = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sealed_vectors'").fetchone()
                rows = db.execute("SELECT vector FROM sealed_vectors") if sealed else ()
                if broken := sum(strip_checksum(blob) is None for (blob,) in rows):
                    return f"{broken} vectors are not what was written"
            if file.name == TRACES and (key := find_changed_answer(db)):
                return f"the answer {key} is not what was written"
            return broken_seal(db, file)
    except (sqlite3.Error, zlib.error, ValueError, KeyError, TypeError) as e:
        return str(e) or type(e).__name__


def _leftovers(store: Path, number: int, rows: list[LoadRow]) -> Iterator[Finding]:
    """Yield a finding for unfinished work, waiting loads and files that nothing uses."""
    for row in rows:
        if row.rewrite and not is_loading(store, row.name):
            yield Finding(
                "note",
                f"A drop that wrote {row.name} again was stopped before it was done.",
                "The next load or drop removes what it left.",
            )
        elif row.pending:
            yield Finding("note", f"A newer {row.name} is waiting.", decide(row.name))
        elif row.state == "staging" and not is_loading(store, row.name):
            yield Finding(
                "warning",
                f"A load of {row.name} begun {row.created} was stopped before it was done.",
                f"Run the same load again to go on with it, or remove it with hydra-kg sources drop {row.name}.",
            )
    known = {row.id for row in rows}
    for part in ("loads", "staging"):
        for folder in sorted((store / part).iterdir()) if (store / part).is_dir() else []:
            if folder.name not in known:
                yield Finding(
                    "warning",
                    f"{folder} belongs to no load that the catalog knows.",
                    "It is left alone. If the catalog was replaced by an older one, restore a newer backup; "
                    "else move the folder away.",
                )
    for folder in sorted((store / "generations").iterdir()) if number else []:
        if folder.name != str(number):
            yield Finding(
                "note",
                f"{folder} is an old generation: a question may still be reading it.",
                "The next load or drop removes it.",
            )


def _space(store: Path) -> Iterator[Finding]:
    free, used = free_bytes(store), folder_bytes(store)
    if free < LOW:
        yield Finding(
            "warning",
            f"{free / 1e9:.1f} GB are free on the disk of the store ({used / 1e9:.1f} GB).",
            "Free space before the next load, or drop sources that are no longer needed.",
        )


def _text(number: int, segments: list[Segment]) -> str:
    text = ids.decode(number)
    for s in segments if text is None else ():
        text = text or s.terms([number])[0]
    return text or str(number)

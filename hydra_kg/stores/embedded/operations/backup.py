"""Backs up an embedded store while others load and ask, with a checksum for every file, and restores it."""

from __future__ import annotations

import errno
import glob
import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import DiskFullError, StoreCorruptError, UsageError
from hydra_kg.events import Listener, Progress, ignore
from hydra_kg.stores.embedded.catalog.catalog import FILE as CATALOG
from hydra_kg.stores.embedded.catalog.catalog import forget_folders, set_content
from hydra_kg.stores.embedded.catalog.generation_bounds import check_pinned
from hydra_kg.stores.embedded.operations.abilities import Backupable
from hydra_kg.stores.embedded.operations.backup_places import BackupTarget, FolderPlace, TarPlace, entries, is_archive
from hydra_kg.stores.embedded.segments.array_folder import MANIFEST, sync
from hydra_kg.stores.embedded.segments.disk_full import disk_errors, free_bytes, remove
from hydra_kg.text.folding import bytes_text
from hydra_kg.util.sidecar_db import open_to_read

MAGIC: Final = "hydra-kg backup"
INVENTORY: Final = "backup.json"
TRACES: Final = "traces.sqlite"
_NAME: Final = re.compile(r"(?:(?:loads|generations|merged)/[A-Za-z0-9][A-Za-z0-9.-]*/)?[^/\\\0-\x1f.][^/\\\0-\x1f]*")


def backup(
    store: Backupable, target: Path, *, listener: Listener = ignore, keep_folders: bool = True
) -> dict[str, Any]:
    """Copy the ready loads of one moment, and the saved answers, to ``target``. Return counts.

    Args:
        target: a new folder, which is then a store itself, or a file that ends in ``.tar`` or ``.tar.zst``.
        keep_folders: keep in the loads the folders of their source files.

    Loads, drops and questions continue meanwhile. Every byte is compared with the checksum that was made when it was
    written, and compared again after it was written to the target. ``target`` appears only when it is complete. Loads
    in progress, pending loads and cached vectors are not included.

    Raises UsageError if ``target`` exists, StoreCorruptError for a damaged store, DiskFullError.
    """
    _check_new(target)
    part = _part(target)
    with disk_errors(target.parent, "writing the backup"), _pin_copy(store, keep_folders) as (catalog, folders, number):
        files = [
            (f"{folder.parent.name}/{folder.name}/{file.name}", file, expected)
            for folder in folders
            for file, expected in _contents(folder)
        ]
        files.insert(0, (CATALOG, catalog, None))
        if (traces := catalog.with_name(TRACES)).exists():
            files.append((TRACES, traces, None))
        sizes = {name: file.stat().st_size for name, file, _ in files}
        if not is_archive(target) and sum(sizes.values()) > free_bytes(target.parent):
            raise DiskFullError(
                f"The backup takes {bytes_text(sum(sizes.values()))}.", remedy=f"Free space on the disk of {target}."
            )
        tell = _progress("store.backup", sum(sizes.values()), listener)
        try:
            place: BackupTarget = TarPlace(part) if is_archive(target) else FolderPlace(part)
            sums: dict[str, dict[str, Any]] = {}
            with place as opened:
                for name, file, expected in files:
                    whole, behind = opened.put(name, file, sizes[name])
                    if expected is not None and f"{behind if file.suffix == '.npy' else whole:08x}" != expected:
                        raise StoreCorruptError(f"{file} is not what was written.", remedy="Run hydra-kg db doctor.")
                    sums[name] = {"bytes": sizes[name], "crc32": f"{whole:08x}"}
                    tell(sizes[name])
                doc = {"magic": MAGIC, "version": 1, "generation": number, "files": sums}
                note = catalog.with_name(INVENTORY)
                note.write_text(json.dumps(doc), "utf-8")
                opened.put(INVENTORY, note, note.stat().st_size)
            _compare(part, sums, _progress("store.verify", sum(sizes.values()), listener))
            _publish(part, target)
            sync(target.parent)
        except BaseException:
            remove(part)
            raise
    return {
        "path": str(target),
        "loads": sum(1 for f in folders if f.parent.name == "loads"),
        "files": len(sums),
        "bytes": sum(sizes.values()),
        "generation": number,
    }


def restore(source: Path, target: Path, *, listener: Listener = ignore, trust_paths: bool = False) -> dict[str, Any]:
    """Make a store in a new folder from a ``.tar`` or ``.tar.zst`` backup, compared with its checksums.

    If ``source`` is a folder, it is a store already and is copied as one. The new folder appears only when it is
    complete. The folders of source files are left out unless ``trust_paths``, because a backup from another person may
    name any file of this machine.

    Raises UsageError if the folder exists or the source is no backup, StoreCorruptError for a damaged one,
    DiskFullError.
    """
    from hydra_kg.stores.embedded.store import EmbeddedStore

    if source.is_dir():
        if not (source / CATALOG).is_file():
            raise UsageError(f"{source} is not a store.", remedy="Name what hydra-kg db backup made.")
        with EmbeddedStore(source) as old:
            return backup(old, target, listener=listener, keep_folders=trust_paths)
    _check_new(target)
    part = _part(target)
    with disk_errors(target.parent, "restoring"):
        try:
            found = _unpack(source, part, listener)
            _check_inventory(part / INVENTORY, found)
            with EmbeddedStore(part) as store, store.pin() as pinned:
                check_pinned(pinned)  # it may come from anybody
                loads = len(store.loads())
                if not trust_paths:
                    store.catalog.forget_folders()
            _publish(part, target)
            sync(target.parent)
        except BaseException:
            remove(part)
            raise
    return {
        "path": str(target),
        "loads": loads,
        "files": len(found) - 1,
        "bytes": sum(f["bytes"] for n, f in found.items() if n != INVENTORY),
    }


def _unpack(source: Path, part: Path, listener: Listener) -> dict[str, dict[str, Any]]:
    """Unpack a backup into a folder. Return size and checksum of each file."""
    found: dict[str, dict[str, Any]] = {}
    tell = _progress("store.restore", None, listener)
    with FolderPlace(part) as opened:
        for name, stream, size in entries(source, _NAME):
            if name in found:
                raise UsageError(f"{name} comes twice in {source}.", remedy="Name what hydra-kg db backup made.")
            if size > free_bytes(part):
                raise DiskFullError(f"{name} takes {bytes_text(size)}.", remedy=f"Free space on the disk of {part}.")
            found[name] = {"bytes": size, "crc32": f"{opened.write(name, stream, size):08x}"}
            tell(size)
    return found


@contextmanager
def _pin_copy(store: Backupable, keep_folders: bool) -> Iterator[tuple[Path, list[Path], int]]:
    """Yield a copy of the catalog from one moment, the folders that it needs, and the number of its generation.

    The folders are pinned: nothing in them changes or is removed. A copy of the saved answers is next to the copy of
    the catalog.
    """
    while True:
        with tempfile.TemporaryDirectory(prefix="hydra-kg-") as scratch, store.pin() as pinned:
            file = Path(scratch) / CATALOG
            copy_database(store.catalog.path, file)
            ready = {segment.id for _, segment in pinned.loads}
            if not _trim(file, ready, pinned.number, keep_folders=keep_folders):  # others flipped between the two
                continue
            if (store.path / TRACES).is_file():
                copy_database(store.path / TRACES, file.with_name(TRACES))
            folders = [segment.path for _, segment in pinned.loads]
            if pinned.number:
                folders.append(pinned.generation.path)
            if pinned.generation.merged is not None:
                folders.append(pinned.generation.merged.path)
            yield file, folders, pinned.number
            return


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite file as it is at one moment. The copy has no separate log."""
    with (
        closing(open_to_read(source, whole=True)) as old,
        closing(sqlite3.connect(target, isolation_level=None)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")


def _trim(catalog: Path, ready: set[str], generation: int, *, keep_folders: bool) -> bool:
    """Remove from the copied catalog all loads that are not ready, and perhaps the folders of their source files.

    Returns False if the ready loads or the generation differ from the given ones.
    """
    with closing(sqlite3.connect(catalog, isolation_level=None)) as db:
        ((number,),) = db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchall()
        there = {row[0] for row in db.execute("SELECT id FROM load WHERE state = 'ready'")}
        db.execute("DELETE FROM load WHERE state != 'ready'")
        db.execute("DELETE FROM source WHERE load NOT IN (SELECT id FROM load)")
        if not keep_folders:
            forget_folders(db)
        set_content(db)
        db.execute("VACUUM")
    return there == ready and number == generation


def _contents(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield the files of a folder with the checksums in its manifest (for arrays: without their header)."""
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    known = {entry["file"]: entry["crc32"] for entry in manifest["arrays"].values()}
    known |= {name: entry["crc32"] for name, entry in manifest["files"].items()}
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.suffix != ".part" and ".npy." not in file.name:  # which are being written
            yield file, known.get(file.name)


def _compare(place: Path, sums: Mapping[str, Mapping[str, Any]], tell: Callable[[int], None]) -> None:
    """Read a backup again and compare its checksums."""
    found = {}
    for name, stream, size in entries(place, _NAME):
        found[name] = {"bytes": size, "crc32": f"{stream.checksum():08x}"}
        tell(size)
    found.pop(INVENTORY, None)
    if found != sums:
        raise StoreCorruptError("The backup differs from what was written.", remedy="Check the disk; try another.")


def _check_inventory(file: Path, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise an error if the files differ from the inventory of the backup."""
    try:
        doc = json.loads(file.read_text("utf-8"))
        if doc["magic"] != MAGIC or doc["version"] != 1:
            raise ValueError(f"version {doc['version']}")
        expected = dict(doc["files"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
        raise UsageError(f"This is not a backup of hydra-kg ({e}).", remedy="Name what hydra-kg db backup made.") from e
    wrong = sorted(n for n in {*expected, *found} - {INVENTORY} if expected.get(n) != found.get(n))
    if wrong:
        raise StoreCorruptError(f"{wrong[0]} in the backup is not what was written.", remedy="Use another backup.")


def _part(target: Path) -> Path:
    """Return the path that is written first, whose name contains our process id.

    Removes what killed backups to this target left behind.
    """
    for left in target.parent.glob(f"*.part.{glob.escape(target.name)}"):
        number = left.name.removesuffix(f".part.{target.name}")
        if number.isdigit() and not Path(f"/proc/{number}").exists():
            remove(left)
    return target.with_name(f"{os.getpid()}.part.{target.name}")


def _publish(part: Path, target: Path) -> None:
    """Rename the complete backup to its target. Raise UsageError if the target exists; it is never replaced."""
    try:
        if part.is_dir():
            part.rename(target)
        else:
            os.link(part, target)
            part.unlink()
    except OSError as e:
        if e.errno in {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}:
            raise _there(target) from e
        if part.is_dir() or e.errno not in {errno.EPERM, errno.ENOTSUP, errno.EMLINK}:
            raise
        part.rename(target)  # a file system without links


def _there(target: Path) -> UsageError:
    return UsageError(f"{target} is there already.", remedy="Name a new one, or remove it first.")


def _check_new(target: Path) -> None:
    if target.exists() and (target.is_file() or any(target.iterdir())):
        raise _there(target)
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent}.", remedy="Make it, or name another place.")
    if target.is_dir():
        with suppress(FileNotFoundError):  # another backup into it began at the same moment
            target.rmdir()


def _progress(kind: str, total: int | None, listener: Listener) -> Callable[[int], None]:
    return Progress(kind, total=total, unit="bytes", listener=listener).add

"""Find the files that can be loaded.

Files in folders are recognised by their content, and the packages that they need are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import Final

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, LoadError, MissingPackageError, NotFoundError, UserError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.ingest.contract.loader import HEAD, Loader, find_loader, format_file_name, head_of
from hydra_kg.ingest.formats.archives import chunks

MOST: Final = 100_000
"""Maximum number of files in a folder and its subfolders."""
_CATALOG: Final = "catalog.sqlite"
_NEAR_CATALOG: Final = ("catalog.sqlite.seal", "generations", "loads")
"""Of these names one is next to the catalog of a store, but not next to a database of that name."""


class StoreFolderError(FormatError):
    """A folder inside the loaded one is a store, or was written next to a store."""


def expand_folders(
    paths: Sequence[Path],
    *,
    recognised: Callable[[Path], object],
    skipped: Callable[[Path, UserError], None] = lambda path, error: None,
) -> list[Path]:
    """Replace each folder by the files in it, recursively and ordered by name.

    Hidden, empty and linked files are left out. Files that ``recognised`` refuses are passed to ``skipped`` with the
    error and left out too. Raises NotFoundError if nothing is left, and MissingPackageError if only a package is
    missing.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        here, missing = [], None
        inside = sorted(path.rglob("*"))
        stores = _find_stores(path, inside)
        for store in stores:
            skipped(store, StoreFolderError(f"{store.name} is a store."))
        for file in _files(path, inside, stores):
            try:
                recognised(file)
            except (FormatError, MissingPackageError) as e:
                missing = e if isinstance(e, MissingPackageError) else missing
                skipped(file, e)
            else:
                here.append(file)
        if not here and missing:
            raise missing
        if not here:
            raise NotFoundError(
                f"There is nothing to load in {path}.",
                remedy="No file in it is of a known format; an unknown name after --as lists them.",
            )
        found += here
    return found


def _find_stores(folder: Path, inside: Sequence[Path]) -> list[Path]:
    """Return the folders of stores in a folder, and those that were written next to a store: shop.db, shop.db.feeds."""
    catalogs = [path for path in inside if path.name == _CATALOG]
    stores = [file.parent for file in catalogs if any(file.with_name(name).exists() for name in _NEAR_CATALOG)]
    near = (path for store in stores if store != folder for path in store.parent.glob(f"{escape(store.name)}.*"))
    return [*stores, *(path for path in near if path.is_dir() and path not in stores)]


def _files(folder: Path, inside: Sequence[Path], stores: Sequence[Path]) -> Iterator[Path]:
    """Yield the visible, non-empty files of a folder outside of stores, recursively, ordered by name."""
    number = 0
    for path in inside:
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if (
            hidden
            or any(path.is_relative_to(store) for store in stores)
            or path.is_symlink()
            or not path.is_file()
            or not path.stat().st_size
        ):
            continue
        number += 1
        if number > MOST:
            raise NotFoundError(f"{folder} holds more than {MOST:,} files.", remedy="Load folders in it one by one.")
        yield path


def usable_files(
    files: Sequence[Path],
    *,
    format: str | Loader = "auto",  # noqa: A002
    listener: Listener = ignore,
) -> tuple[list[Path], list[tuple[Path, UserError]]]:
    """Return the files that can be read, and each refused file with its error.

    Folders are returned as they are. Empty or unrecognised files among several are left out, and the listener is
    notified. Raises the first error if nothing is left.
    """
    usable: list[Path] = []
    refused: list[tuple[Path, UserError]] = []

    def skipped(file: Path, error: UserError) -> None:
        if isinstance(error, MissingPackageError):
            refused.append((file, error))
        else:
            is_store = isinstance(error, StoreFolderError)
            listener(Event("load.skipped", {"file": format_file_name(file), "store": is_store}))

    several = len(files) > 1
    for path in map(Path, files):
        if several and _is_empty(path):
            listener(Event("load.skipped", {"file": format_file_name(path), "empty": True}))
            continue
        try:
            if path.is_dir():
                expand_folders([path], recognised=lambda file: _readable(file, format), skipped=skipped)
            elif path.is_file():
                _readable(path, format)
        except (FormatError, MissingPackageError) as e:
            refused += [] if path.is_dir() else [(path, e)]
        else:
            usable.append(path)
    if refused and not usable:
        raise refused[0][1]
    if several and not usable:
        raise _empty(Path(files[0]))
    return usable, refused


def find_damaged_files(files: Sequence[Path]) -> dict[Path, LoadError]:
    """Return the files that cannot be decompressed to their end, each with the error."""
    damaged: dict[Path, LoadError] = {}
    for file in files:
        try:
            for _ in chunks(file):
                pass
        except LoadError as e:
            damaged[file] = e
        except UserError:  # a document may be an archive of another kind
            continue
    return damaged


def _is_empty(path: Path) -> bool:
    """Return True for a file without content, compressed or not."""
    try:
        return path.is_file() and not head_of(path)
    except UserError:
        return False


def _empty(file: Path) -> FormatError:
    return FormatError(f"{file.name} is empty.", remedy="Leave it out, or check the program that wrote it.")


def list_readable_files(files: Sequence[Path], *, format: str | Loader = "auto") -> list[Path]:  # noqa: A002
    """Return the files, with each folder replaced by the files in it that can be read."""
    return expand_folders([Path(f) for f in files], recognised=lambda file: _readable(file, format))


def _readable(file: Path, format: str | Loader) -> None:  # noqa: A002
    """Raise FormatError or MissingPackageError if a file cannot be read."""
    _, loader = recognise_file(file, format=format)
    loader.check_installed(file)


def is_recognised(path: Path) -> bool:
    """Return True for a folder and for a file whose format its content shows."""
    try:
        return path.is_dir() or bool(recognise_file(path))
    except FormatError:
        return False


def recognise_file(file: Path, *, format: str | Loader = "auto") -> tuple[bytes, Loader]:  # noqa: A002
    """Return the first decompressed bytes of a file, and its loader. Raises FormatError."""
    try:
        head = head_of(file)
    except FormatError:  # an archive that is no plain packing; a document may be one
        with file.open("rb") as f:
            head = f.read(HEAD)
        try:
            return head, find_loader(file, head, format=format)
        except FormatError as e:
            raise e.__context__ or e from None
    if not head:
        raise _empty(file)
    return head, find_loader(file, head if format == "auto" else b"", format=format)


def referring_files(files: Sequence[Path], extra: Mapping[str, str]) -> list[tuple[Loader, Source, list[Path]]]:
    """Return files of one folder that were named one by one and refer to each other, as the feed that the folder is."""
    by_folder: dict[Path, list[Path]] = {}
    for file in files if len(files) > 1 else ():
        if file.is_file() and recognise_file(file)[1].family:
            by_folder.setdefault(file.resolve().parent, []).append(file)
    out = []
    for folder, own in by_folder.items():
        _, loader = recognise_file(own[0])
        feed = loader.together(own, named=True, extra=extra) if len(own) > 1 and loader.refer(own, extra) else None
        if feed is not None:
            out.append((feed, replace(feed.source, name=folder.name), own))
    return out

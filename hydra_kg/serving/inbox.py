"""Provide files that an administrator may load over HTTP: those of one folder by name, and small uploaded files."""

from __future__ import annotations

import json
import re
import shutil
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError, NotFoundError, UsageError

UPLOADS: Final = "uploads"
"""The folder in a store for uploaded files, each in a folder of its own, in which citations are looked up."""

MOST: Final = 200
"""Most uploaded files of a store, and most files of an inbox that are listed."""

TOGETHER: Final = 30
"""Most files that are uploaded as one source."""

OLD: Final = 86_400.0
"""Seconds after which an uploaded file that no load names is removed."""

DOCUMENTS: Final = frozenset({"txt", "md", "html", "docx", "pdf"})
"""Kinds of uploads that are read as documents; the others are tables."""

_BINARY: Final = {"xlsx": b"PK\x03\x04", "docx": b"PK\x03\x04", "pdf": b"%PDF"}
"""How a file begins that is not plain text. Such files are read within bounds of their own."""

_PACKED: Final = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"PK", b"SQLite", b"PAR1", b"%PDF")


def inbox_files(folder: str) -> list[dict[str, Any]]:
    """Return name, bytes and time of each plain file in an inbox, by name."""
    if not folder or not Path(folder).is_dir():
        return []
    found = []
    for path in sorted(Path(folder).iterdir()):
        try:
            about = path.lstat()
        except OSError:  # it went meanwhile
            continue
        if _is_plain_name(path.name) and stat.S_ISREG(about.st_mode):
            found.append({"name": path.name, "bytes": about.st_size, "changed": round(about.st_mtime, 3)})
    return found[:MOST]


def inbox_file(folder: str, name: str) -> Path:
    """Return an inbox file's path. Raise UsageError for other names or no inbox, NotFoundError for links."""
    if not folder:
        raise UsageError("This service has no inbox.", remedy="Start it with --inbox FOLDER.")
    if not _is_plain_name(name):
        raise UsageError("A file of the inbox is named by its plain name.")
    path = Path(folder).resolve() / name
    try:
        regular = stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        regular = False
    if not regular:
        raise NotFoundError("The inbox has no such file.")
    return path


def store_upload(
    folder: Path, body: bytes, *, name: str, kind: str, identity: str, used: Iterable[str], joins: bool = False
) -> Path:
    """Write an uploaded file into a store, in the folder of its upload, and return its path.

    Args:
        name: what the table or document is called.
        kind: how the name of the file ends.
        identity: the upload, with which a load is made.
        used: the files that loads were read from, see :func:`files_of`.
        joins: whether the upload has files already, with which this one is loaded.

    Raise FormatError, UsageError for too many files, two of one name or tables beside documents, and NotFoundError
    for an unknown upload.
    """
    if not body.strip():
        raise FormatError("The file is empty.")
    _check_content(body, kind)
    place, names = folder / UPLOADS, set(used)
    place.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40] or "table"
    path = place / identity / f"{slug}.{kind}"  # a folder of its own, since the table is called like the file
    if joins:
        _check_batch(path, names)
    else:
        _sweep(place, names)
        if len(list(place.iterdir())) >= MOST:
            raise UsageError(f"{MOST} uploaded files are here already.", remedy="Discard loads, or use the inbox.")
        path.parent.mkdir()
    with path.open("xb") as file:
        file.write(body)
    return path


def _check_batch(path: Path, used: set[str]) -> None:
    """Raise unless one more file may join an upload that waits for more."""
    batch = path.parent
    if not batch.is_dir() or any(name.startswith(f"{batch.name}/") for name in used):
        raise NotFoundError("No upload of that name waits for more files.", remedy="Upload the files again.")
    if path.exists():
        raise UsageError(f"Two files are called {path.name}.", remedy="Rename one of them.")
    files = list(batch.iterdir())
    if any(is_document(file) != is_document(path) for file in files):
        raise UsageError("Tables and documents are sources of their own.", remedy="Upload them one after the other.")
    if len(files) >= TOGETHER:
        raise UsageError(f"At most {TOGETHER} files are loaded together.", remedy="Use the inbox.")


def is_document(path: Path) -> bool:
    """Return True if an uploaded file is read as a document, not as a table."""
    return path.suffix[1:] in DOCUMENTS


def _check_content(body: bytes, kind: str) -> None:
    """Raise FormatError unless the body is plain text, or a binary file that begins as its kind does."""
    if begin := _BINARY.get(kind):
        if not body.startswith(begin):
            raise FormatError(f"This is no file of the kind {kind}.", remedy="Save it again, or as CSV or text.")
        return
    if body.startswith(_PACKED) or b"\0" in body:
        raise FormatError("Only plain text can be uploaded.", remedy="Unpack it, or put the file into the inbox.")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("The file is not UTF-8 text.", remedy="Save it as UTF-8.") from None
    if kind == "jsonl" and not _begins_with_record(body):
        raise FormatError("The first line is not a JSON object.", remedy="Give one object a line.")


def _begins_with_record(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body.lstrip().split(b"\n", 1)[0]), dict)
    except (ValueError, RecursionError):
        return False


def files_of(loads: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the files that loads were read from, each by its folder's name and its own: "0123456789ab/boats.csv"."""
    files = [f for load in loads for f in (load.get("details") or {}).get("files", ())]
    return [f"{Path(str(f.get('folder') or '')).name}/{f['name']}" for f in files]


def _is_plain_name(name: str) -> bool:
    return bool(name) and len(name) <= 255 and name[0] != "." and not re.search(r"[/\\\x00-\x1f\x7f]", name)


def _sweep(place: Path, used: set[str]) -> None:
    """Remove old uploads that no load names: folders with their files, and files of earlier versions."""
    for path in place.iterdir():
        files = list(path.iterdir()) if path.is_dir() else [path]
        unused = used.isdisjoint(f"{file.parent.name}/{file.name}" for file in files)
        if unused and path.lstat().st_mtime < time.time() - OLD:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

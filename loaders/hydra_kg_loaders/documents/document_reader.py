"""Read documents one after the other in a separate process, which is restarted if a file ended it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import MissingPackageError
from hydra_kg.ingest.workers import close_pipes
from hydra_kg.util.fast_dataclass import dataclass, field

SECONDS: Final = 120.0
"""Number of seconds that reading one file may take."""

KINDS: Final = {
    ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".docx": "docx", ".pdf": "pdf",
}  # fmt: skip
"""The kind of document for each ending of a file name."""

_PACKED: Final = (".gz", ".bz2", ".zst")
_NEEDED: Final = {"docx": ("docx", "python-docx"), "pdf": ("pypdf", "pypdf")}


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's :class:`hydra_kg_loaders.documents.document.Document` fields. A refusal has ``reason`` and ``words``."""

    title: str = ""
    paragraphs: list[tuple[str, str]] = field(default_factory=list)
    reason: str = ""
    words: str = ""
    cells: list[tuple[int, str, str, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def kind_of(path: Path) -> str:
    """Return the kind of document by the ending of a file's name, "" for other files."""
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return KINDS.get(Path(name).suffix, "")


def check_libraries(files: Iterable[Path]) -> None:
    """Raise MissingPackageError if a file needs a library that is not installed."""
    for file in files:
        module, package = _NEEDED.get(kind_of(file), ("", ""))
        if module and find_spec(module) is None:
            raise MissingPackageError(
                f"{file.name} needs {package}, which is not installed.",
                remedy="Install what reads documents: pip install 'hydra-kg[documents]'.",
            )


def documents(files: Iterable[Path]) -> Iterator[tuple[Path, FileText]]:
    """Yield each file with its document or refusal."""
    process: subprocess.Popen[str] | None = None
    try:
        for file in files:
            process = process or _start()
            reply = _ask(process, file)
            if reply is None:
                _end(process)
                process = None
                yield file, FileText(reason="resources", words="it takes more memory or time than a document may")
                continue
            title, paragraphs, reason, words, cells, unread = reply
            found = [(str(h), str(t)) for h, t in paragraphs]
            yield file, FileText(str(title), found, str(reason), str(words), [tuple(c) for c in cells], unread)
    finally:
        if process is not None:
            _end(process)


def _start() -> subprocess.Popen[str]:
    """Start a process that reads documents."""
    # -P: never a module from the folder that the person happens to be in
    command = [sys.executable, "-P", "-m", "hydra_kg_loaders.documents.process"]
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(
        command,
        env=known,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )


def _ask(process: subprocess.Popen[str], file: Path) -> list[Any] | None:
    """Return the reply about a file, None if the process ended or took too long."""
    assert process.stdin is not None
    assert process.stdout is not None
    late = threading.Timer(SECONDS, process.kill)
    late.start()
    try:
        process.stdin.write(json.dumps([str(file.resolve()), kind_of(file)]) + "\n")
        process.stdin.flush()
        reply: list[Any] = json.loads(process.stdout.readline())
        return reply
    except (OSError, ValueError):
        return None
    finally:
        late.cancel()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    close_pipes(process)

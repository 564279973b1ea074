"""Runs ``neo4j-admin database import full`` on written files, and reports its progress and errors."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final

from hydra_kg.errors import DiskFullError, StoreError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.stores.neo4j.bulk.csv_files import ImportFiles
from hydra_kg.stores.neo4j.connection.local_home import DATABASE, Home
from hydra_kg.stores.neo4j.local_server import java
from hydra_kg.stores.neo4j.local_server.conf import memory_mib

HEAP: Final = 1024  # MiB
ARGUMENTS: Final = "import.args"
_BEGINS: Final = re.compile(r", started \d{4}-")
_STEPS: Final = 13  # of a graph with few predicates; more have more
_LAST_LINES: Final = 400  # lines that are kept


def import_words(files: ImportFiles, *, database: str = DATABASE, id_type: str) -> list[str]:
    """Return the arguments of ``neo4j-admin``, which runs in the folder of the files.

    The ``id_type`` ``actual`` is quicker, and ``integer`` is known to every kind of server.
    """
    return ["database", "import", "full", *files.words(id_type=id_type), "--overwrite-destination=true", "--", database]


def command_text(files: ImportFiles, *, database: str) -> str:
    """Return the shell command that a person runs where a server is.

    Most arguments of the command are written to a file in the folder.
    """
    (files.folder / ARGUMENTS).write_text("\n".join(files.words(id_type="integer")) + "\n", "utf-8")
    words = ["neo4j-admin", "database", "import", "full", f"@{ARGUMENTS}", "--overwrite-destination=true", database]
    return f"cd {shlex.quote(str(files.folder))} && {shlex.join(words)}"


def off_heap() -> int:
    """Return the MiB for the importer's caches: an eighth of the memory, at least 512."""
    return max(512, memory_mib() // 8)


def run_import(found: java.Java, home: Home, files: ImportFiles, *, listener: Listener = ignore) -> None:
    """Import into the data folder of a home whose server is stopped. Raise DiskFullError, StoreError."""
    words = import_words(files, id_type="actual")
    words[3:3] = [
        "--verbose",
        f"--max-off-heap-memory={off_heap()}m",
        "--high-parallel-io=on",
        f"--threads={os.cpu_count() or 1}",
        f"--report-file={home.logs / 'import.report'}",
    ]
    command = java.admin(found, home, *words, heap=HEAP)
    begun, steps = time.monotonic(), 0
    last: deque[str] = deque(maxlen=_LAST_LINES)
    with (
        (home.logs / "import.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            cwd=files.folder,
            env=java.environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process,
    ):
        pid_file(home).write_text(f"{process.pid}\n", "ascii")
        try:
            assert process.stdout is not None  # it is a pipe
            for line in process.stdout:
                log.write(line)
                last.append(line.rstrip())
                if _BEGINS.search(line):
                    steps += 1
                    spent = time.monotonic() - begun
                    what = {"done": min(steps - 1, _STEPS - 1), "total": _STEPS, "unit": "steps"}
                    listener(Event("load.import", what, spent))
        except BaseException:
            process.kill()
            raise
    pid_file(home).unlink(missing_ok=True)
    if process.returncode:
        raise _import_error(list(last), home)
    listener(Event("load.import", {"done": _STEPS, "total": _STEPS, "unit": "steps"}, time.monotonic() - begun))


def pid_file(home: Home) -> Path:
    """Return the file with the process id of an import."""
    return home.run / "import.pid"


def stop_import(home: Home) -> None:
    """End the import that a killed program left running, if there is one."""
    with suppress(OSError, ValueError):
        pid = int(pid_file(home).read_text("ascii"))
        if str(home.lib).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
            while Path(f"/proc/{pid}/fd").is_dir() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
                time.sleep(0.05)


def _import_error(last_lines: list[str], home: Home) -> StoreError | DiskFullError:
    """Return the error that the last lines of the import tool describe."""
    text = "\n".join(last_lines)
    if "No space left" in text:
        return DiskFullError(
            f"The disk of {home.root} became full during the import.",
            remedy="Free space, then run the same command again; the store is as it was.",
        )
    if "OutOfMemoryError" in text:
        return StoreError(
            "Java had too little memory for the import.", remedy="Stop other programs, then run the same command again."
        )
    causes = [line.strip() for line in last_lines if re.search(r"Caused by|[Ee]rror|Exception", line)]
    what = (causes or [line for line in last_lines if line.strip()] or ["it said nothing"])[0][:300]
    return StoreError(
        f"neo4j-admin could not import: {what}",
        remedy=f"All it said is in {home.logs / 'import.log'}; the store is as it was.",
    )

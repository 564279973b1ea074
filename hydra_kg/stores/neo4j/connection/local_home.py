"""The folder of a local Neo4j: its folders, ports and memory, and the password in a file of mode 0600."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
from dataclasses import asdict
from pathlib import Path
from typing import IO, Final, Literal

from hydra_kg.errors import StoreError, UsageError
from hydra_kg.settings import get_default_store
from hydra_kg.util.fast_dataclass import dataclass

USER: Final = "neo4j"
DATABASE: Final = "neo4j"  # Community has one


@dataclass(frozen=True, slots=True)
class ServerInstance:
    """Settings chosen at the first start and used for later ones. Memory is in MiB."""

    kind: Literal["local", "compose"]
    bolt: int
    http: int
    heap: int
    page_cache: int

    @property
    def uri(self) -> str:
        """Return the address for drivers."""
        return f"neo4j://localhost:{self.bolt}"

    @property
    def browser(self) -> str:
        """Return the address of Neo4j Browser, with everything filled in except the password."""
        return (
            f"http://localhost:{self.http}/browser/?dbms=neo4j%3A%2F%2F{USER}%40localhost%3A{self.bolt}&db={DATABASE}"
        )


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of a local server."""

    root: Path

    @property
    def lib(self) -> Path:
        """Return the folder with the jars of the server."""
        return self.root / "lib"

    @property
    def plugins(self) -> Path:
        """Return the folder with the jars of APOC."""
        return self.root / "plugins"

    @property
    def conf(self) -> Path:
        """Return the folder with the files that we write for the server."""
        return self.root / "conf"

    @property
    def data(self) -> Path:
        """Return the folder that the server writes: databases and transaction logs."""
        return self.root / "data"

    @property
    def old_data(self) -> Path:
        """Return the folder to which ``data`` is moved while an import takes its place."""
        return self.root / "data.old"

    @property
    def bulk(self) -> Path:
        """Return the folder where imports are prepared and their stages are kept."""
        return self.root / "bulk"

    @property
    def logs(self) -> Path:
        """Return the folder with the logs of the server, of its console and of Maven."""
        return self.root / "logs"

    @property
    def run(self) -> Path:
        """Return the folder with process ids and locks."""
        return self.root / "run"

    @property
    def password_file(self) -> Path:
        """Return the file with one line: the password of user ``neo4j``."""
        return self.root / "password"

    @property
    def instance_file(self) -> Path:
        """Return the file with the chosen ports and sizes."""
        return self.conf / "hydra-kg.json"

    def instance(self) -> ServerInstance | None:
        """Return the settings of the last start, or None before the first."""
        try:
            return ServerInstance(**json.loads(self.instance_file.read_text("utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as e:
            raise StoreError(
                f"{self.instance_file} cannot be read: {e}", remedy="Remove it; the next hydra-kg up chooses again."
            ) from e

    def remember(self, instance: ServerInstance) -> None:
        """Store the settings for the next start."""
        self.conf.mkdir(parents=True, exist_ok=True)
        new = self.instance_file.with_suffix(".new")
        new.write_text(json.dumps(asdict(instance), indent=1) + "\n", "utf-8")
        new.replace(self.instance_file)

    def make(self) -> None:
        """Make the folders, which only their owner may read.

        The folder ``data`` is not made, because :meth:`settle` must come first.
        """
        if os.pathsep in str(self.root):
            raise UsageError(
                f"The folder {self.root} has a {os.pathsep!r} in its name: two folders to Java.",
                remedy="Set HYDRA_NEO4J_HOME to another folder.",
            )
        for folder in (self.root, self.conf, self.logs, self.run, self.root / "import"):
            folder.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)

    def settle(self) -> None:
        """After an interrupted exchange of the data folder, choose the old or the new one. Needs the lock."""
        if self.old_data.is_dir():
            if self.data.is_dir():
                shutil.rmtree(self.old_data)
            else:
                self.old_data.rename(self.data)
        self.data.mkdir(parents=True, exist_ok=True)

    def password(self) -> str | None:
        """Return the password, or None if there is no file yet."""
        try:
            return self.password_file.read_text("utf-8").strip() or None
        except FileNotFoundError:
            return None

    def make_password(self) -> str:
        """Return the password, and make one if there is none.

        The file is never readable by others, not even for a moment.
        """
        if found := self.password():
            return found
        new = self.password_file.with_suffix(".new")
        made = secrets.token_urlsafe(18)
        with private_file(new) as file:
            file.write(made + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.password_file)
        return made

    def password_is_private(self) -> bool:
        """Return True if only its owner may read the password file."""
        return not stat.S_IMODE(self.password_file.stat().st_mode) & 0o077


def private_file(path: Path) -> IO[str]:
    """Open a new file that only its owner may read, from the first moment on. A file at that path is replaced."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")


def get_default_home() -> Home:
    """Return the home in ``HYDRA_NEO4J_HOME``, or in ``neo4j`` in the user's data folder."""
    named = os.environ.get("HYDRA_NEO4J_HOME")
    return Home(Path(named).expanduser().absolute() if named else get_default_store().parent / "neo4j")

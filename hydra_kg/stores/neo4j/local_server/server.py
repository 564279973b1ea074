"""Starts, stops and watches a local Neo4j that keeps running after the shell that started it has ended."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final

from hydra_kg.errors import DiskFullError, HydraError, StoreBusyError, StoreError, UsageError
from hydra_kg.events import Throttle
from hydra_kg.stores.neo4j.connection.local_home import USER, Home, ServerInstance, get_default_home
from hydra_kg.stores.neo4j.local_server import conf, java
from hydra_kg.stores.neo4j.local_server.java import ensure_jars
from hydra_kg.stores.neo4j.local_server.locking import take_lock
from hydra_kg.util.fast_dataclass import dataclass

READY: Final = 180.0  # seconds; measured 4 to 20, after a crash of a large store 75
CLOSING: Final = 10.0  # seconds that the ports of a killed server stay taken at most
STOP: Final = 120.0  # seconds; a large store writes its pages first
ROOM: Final = 1_000_000_000  # bytes that must be free before the first start: jars, logs, an empty store


def silent(_: str) -> None:
    """Ignore a message."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the local server.

    ``pid`` is 0 if none is running; ``instance`` is None if none was ever started.
    """

    home: Home
    pid: int
    instance: ServerInstance | None

    @property
    def running(self) -> bool:
        """Return True if the process is alive."""
        return self.pid > 0


class LocalServer:
    """The server of one home folder. Every method may be called from several programs at once."""

    def __init__(self, home: Home | None = None) -> None:
        self.home = home or get_default_home()

    def status(self) -> Status:
        """Return the current state."""
        return Status(self.home, self._pid(), self.home.instance())

    def start(
        self,
        *,
        bolt: int | None = None,
        http: int | None = None,
        heap: int | None = None,
        page_cache: int | None = None,
        seconds: float = READY,
        tell: Callable[[str], None] = silent,
    ) -> Status:
        """Start the server and wait until it is ready.

        Ports and memory (MiB) default to those of the last start. Raises StoreError after ``seconds``, UsageError for
        a port in use, DiskFullError.
        """
        self.home.make()
        with self._locked(tell):
            return self._begin(bolt, http, heap, page_cache, seconds=seconds, tell=tell)

    def stop(self, *, seconds: float = STOP, tell: Callable[[str], None] = silent) -> bool:
        """Stop the server in order. Return False if none was running. The data stays.

        Raises StoreError if it does not end within ``seconds``.
        """
        if not self.home.run.is_dir():
            return False
        with self._locked(tell):
            return self._end(seconds)

    def exchange(
        self, new: Path, *, keep: Sequence[str] = (), seconds: float = READY, tell: Callable[[str], None] = silent
    ) -> Status:
        """Replace the data folder with ``new``, a folder on the same disk, and start the server with it.

        The folders ``keep`` (below ``data``) are taken over from the old data folder, which is then removed. If the
        folders cannot be moved or the server does not start, the old folder and its server are restored and the error
        is raised. A process that is killed in between leaves the old or the new folder; the next start settles it.
        """
        with self._locked(tell):
            self.home.settle()
            self._end(STOP)
            try:
                for name in keep:
                    if (self.home.data / name).is_dir():
                        shutil.rmtree(new / name, ignore_errors=True)
                        shutil.copytree(self.home.data / name, new / name)
                self.home.data.rename(self.home.old_data)
                new.rename(self.home.data)  # from here on the new one is in force
            except OSError as e:  # shutil.Error is one
                self.home.settle()
                self._begin(None, None, None, None, seconds=seconds, tell=tell)
                raise StoreError(
                    f"The data folder could not be exchanged ({e}); the old one is in force.",
                    remedy="Check that the disk has space and that you own the folder.",
                ) from e
            try:
                status = self._begin(None, None, None, None, seconds=seconds, tell=tell, settle=False)
            except (HydraError, OSError):
                self._end(STOP)
                self.home.data.rename(new)
                self.home.settle()
                self._begin(None, None, None, None, seconds=seconds, tell=tell)
                raise
            self.home.settle()
            return status

    def _locked(self, tell: Callable[[str], None]) -> AbstractContextManager[None]:
        return take_lock(self.home.run / "lock", waiting=lambda: tell("another program starts or stops it; waiting …"))

    def _begin(
        self,
        bolt: int | None,
        http: int | None,
        heap: int | None,
        page_cache: int | None,
        *,
        seconds: float,
        tell: Callable[[str], None],
        settle: bool = True,
    ) -> Status:
        """Start the server if it does not run, and wait until it answers."""
        if (pid := self._pid()) and self._wait_until_ready(pid, seconds=seconds, tell=tell):
            if {bolt, http, heap, page_cache} != {None}:
                tell("it ran already: ports and sizes take effect after hydra-kg down")
            return self.status()
        if settle:
            self.home.settle()
        self._check_room()
        found = java.find_java()
        ensure_jars(self.home, java=found.path, tell=tell)
        instance = self._instance(bolt, http, heap, page_cache)
        conf.write_conf(self.home, instance)
        self._first_password(found)
        self.home.remember(instance)
        pid = self._spawn(java.server_command(found, self.home, instance))
        if not self._wait_until_ready(pid, seconds=seconds, tell=tell):
            raise StoreError(
                f"Neo4j ended while it was starting: {self._last_words()}",
                remedy=f"All it said is in {self.home.logs / 'console.log'}.",
            )
        return self.status()

    def _end(self, seconds: float) -> bool:
        """Stop the server. Return False if it does not run."""
        if not (pid := self._pid()):
            self._pid_file.unlink(missing_ok=True)
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + seconds
        while self._pid():
            if time.monotonic() > end:
                raise StoreError(
                    f"Neo4j (process {pid}) has not ended after {seconds:.0f} s.",
                    remedy=f"Look at {self.home.logs / 'neo4j.log'}; kill -9 {pid} loses nothing that was committed.",
                )
            time.sleep(0.1)
        self._pid_file.unlink(missing_ok=True)
        return True

    # The server's own run/neo4j.pid is deleted by it when it begins to stop, so it is no good to wait for its end.
    @property
    def _pid_file(self) -> Path:
        return self.home.run / "launcher.pid"

    def _pid(self) -> int:
        """Return the process of this home, or 0 if none is alive.

        The number in a file may meanwhile be that of another program's process.
        """
        for file in (self._pid_file, self.home.run / "neo4j.pid"):
            with suppress(OSError, ValueError):
                pid = int(file.read_text("ascii"))
                if _is_server(pid, self.home):
                    return pid
        return 0

    def _check_room(self) -> None:
        free = shutil.disk_usage(self.home.root).free
        if free < ROOM:
            raise DiskFullError(
                f"{free / 1e9:.1f} GB are free on the disk of {self.home.root}; a server needs 1 GB.",
                remedy="Free space, or set HYDRA_NEO4J_HOME to a folder on another disk.",
            )

    def _instance(self, bolt: int | None, http: int | None, heap: int | None, page_cache: int | None) -> ServerInstance:
        """Return ports and sizes of the server: those given, those of the last run, or defaults."""
        before = self.home.instance()
        if before and self._pid_file.exists():  # it was killed, and its system may still be closing its ports
            until = time.monotonic() + CLOSING
            while time.monotonic() < until and not (conf.is_free(before.bolt) and conf.is_free(before.http)):
                time.sleep(0.1)
        http = _port(http, before.http if before else conf.HTTP, "--http-port", frozenset({bolt} if bolt else ()))
        bolt = _port(bolt, before.bolt if before else conf.BOLT, "--bolt-port", frozenset({http}))
        if http == bolt:
            raise UsageError("Bolt and HTTP cannot share a port.", remedy="Give two different ones.")
        return ServerInstance(
            "local",
            bolt,
            http,
            heap or (before.heap if before else conf.get_default_heap()),
            page_cache or (before.page_cache if before else conf.get_default_page_cache()),
        )

    def _first_password(self, found: java.Java) -> None:
        """Give the server its password through a file, before the first start of a data folder."""
        if (self.home.data / "databases" / "system").exists():
            if self.home.password() is None:
                raise StoreError(
                    f"{self.home.password_file} is gone, so no login to the data next to it works.",
                    remedy="Put the file back, or remove the folder data to begin again.",
                )
            return
        (self.home.data / "dbms" / "auth.ini").unlink(missing_ok=True)  # of a start that was cut off
        done = java.run_admin_secretly(
            found, self.home, ["dbms", "set-initial-password", "--", self.home.make_password()]
        )
        if done.returncode:
            raise StoreError(
                f"Neo4j's admin tool failed with status {done.returncode}.",
                remedy=f"See {self.home.logs}; can {self.home.data} be written?",
            )

    def _spawn(self, command: list[str]) -> int:
        """Start a process in its own session, so that closing a terminal does not end it. Return its number."""
        console = str(self.home.logs / "console.log")
        pid = os.posix_spawn(
            command[0],
            command,
            java.environment(self.home),
            setsid=True,
            setsigdef=[signal.SIGPIPE, signal.SIGINT, signal.SIGHUP],
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, console, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )
        self._pid_file.write_text(f"{pid}\n", "ascii")
        while not (words := _words(pid)) and words is not None:  # it has a number, but not yet its words
            time.sleep(0.01)
        return pid

    def _wait_until_ready(self, pid: int, *, seconds: float, tell: Callable[[str], None]) -> bool:
        """Return True when the server answers queries, or False if its process ends.

        Ports that accept connections are not enough: after a crash, queries have to wait much longer.
        """
        instance = self.home.instance()
        assert instance is not None  # written before the process was started
        begun, throttle = time.monotonic(), Throttle(5)
        why: Exception | None = None
        while time.monotonic() - begun < seconds:
            if self._pid() != pid:
                return False
            if _accepts(instance.http) and _accepts(instance.bolt):
                try:
                    self._log_in(instance)
                    return True
                except HydraError as e:
                    why = e
                    if "refuses the password" in str(e):
                        raise
            if throttle.due():
                tell(f"  {time.monotonic() - begun:.0f} s, not ready yet: {self._last_words()}")
            time.sleep(0.1)
        raise StoreBusyError(
            f"Neo4j (process {pid}) is not ready after {seconds:.0f} s: {why or self._last_words()}",
            remedy="It goes on starting; run hydra-kg up again to wait longer.",
        )

    def _log_in(self, instance: ServerInstance) -> None:
        from hydra_kg.stores.neo4j.connection.connect import Credentials, open_driver

        who = Credentials(USER, self.home.password() or "", f"the file {self.home.password_file}")
        open_driver(f"bolt://127.0.0.1:{instance.bolt}", who, database=None).close()

    def _last_words(self) -> str:
        try:
            lines = (self.home.logs / "console.log").read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return "it has said nothing"
        faults = [line for line in lines if "ERROR" in line or "Exception" in line]
        return (faults or lines or ["it has said nothing"])[0 if faults else -1][:300]


def _port(wanted: int | None, usual: int, option: str, reserved: frozenset[int]) -> int:
    if wanted is None:
        return conf.free_port(usual, reserved=reserved)
    if not conf.is_free(wanted):
        raise UsageError(f"Port {wanted} is taken by another program.", remedy=f"Give {option} another one.")
    return wanted


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except OSError:
        return False
    return True


def _is_server(pid: int, home: Home) -> bool:
    words = _words(pid) or ()
    with suppress(OSError):  # a child of ours that ended stays a process until somebody asks
        os.waitpid(pid, os.WNOHANG)
    return f"--home-dir={home.root}".encode() in words


def _words(pid: int) -> list[bytes] | None:
    """Return the command line of a process: empty while it begins, None if it has ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return None
    return None if state in "ZX" else line.split(b"\0") if line else []

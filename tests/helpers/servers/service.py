"""``hydra-kg serve`` as a process of its own on a free port of this machine."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from helpers.programs import own_environment

from hydra_kg.ingest.loaded_files import FILE, LoadedFiles, files_of
from hydra_kg.stores.embedded.store import EmbeddedStore

PATIENCE = 300.0
"""Seconds in which it must be ready."""


@dataclass
class Service:
    """A running service. ``log``: what it wrote."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def workers(self) -> list[int]:
        """Process ids of its workers, those of uvicorn's helper left out."""
        found = []
        for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
        return found

    def client(self, key: str = "") -> httpx.Client:
        """A client with a key."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)

    def wait(self, *, text: str = "") -> None:
        """Until it is ready."""
        last = time.monotonic() + PATIENCE
        with self.client() as client:
            while time.monotonic() < last and self.process.poll() is None:
                try:
                    if client.get("/readyz").status_code == 200:
                        return
                except httpx.TransportError:
                    pass
                time.sleep(0.1)
        raise AssertionError(self.log.read_text())


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def trust_files(store: Path, folder: Path) -> None:
    """Record the files of a store that was loaded elsewhere as those of a service whose user's files are in
    ``folder``."""
    with EmbeddedStore(store) as opened:
        LoadedFiles(folder / "hydra-kg" / FILE).record(files_of(opened.loads()))


@contextmanager
def service(
    store: Path | str, folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """Start it; not waited for. ``folder``: where the user's files of it are."""
    folder.mkdir(parents=True, exist_ok=True)
    own = own_environment(folder, XDG_CONFIG_HOME=str(folder), **(environment or {}))
    port, log = free_port(), folder / "log"
    command = [sys.executable, "-m", "hydra_kg", "serve", "--store", str(store), "--port", str(port), *arguments]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=own, stdout=out, stderr=out, cwd=folder)
    try:
        yield Service(process, port, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

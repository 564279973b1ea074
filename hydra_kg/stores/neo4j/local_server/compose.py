"""Runs the server in a container if an engine with compose is available."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import Final

from hydra_kg.errors import StoreError
from hydra_kg.stores.neo4j.connection.local_home import USER, Home, ServerInstance, private_file
from hydra_kg.stores.neo4j.local_server import conf
from hydra_kg.stores.neo4j.local_server.locking import take_lock
from hydra_kg.util.package_data import find_content

ENGINES: Final = ("docker", "podman")
PATIENCE: Final = 1800.0  # seconds: the first time the image is fetched


def engine() -> str | None:
    """Return the container engine that runs here and supports ``compose``, or None."""
    for program in ENGINES:
        if shutil.which(program) and _answers([program, "info"]) and _answers([program, "compose", "version"]):
            return program
    return None


def up(
    home: Home,
    *,
    engine: str,
    bolt: int | None = None,
    http: int | None = None,
    heap: int | None = None,
    page_cache: int | None = None,
    tell: Callable[[str], None],
) -> ServerInstance:
    """Make sure that the container is running and healthy. Safe to repeat.

    Raises StoreError with the message of the engine.
    """
    home.make()
    with take_lock(home.run / "lock", waiting=lambda: tell("another program starts or stops it; waiting …")):
        before = home.instance()
        if before is not None and before.kind != "compose":
            before = None
        instance = ServerInstance(
            "compose",
            bolt or (before.bolt if before else conf.free_port(conf.BOLT)),
            http or (before.http if before else conf.free_port(conf.HTTP)),
            heap or (before.heap if before else conf.get_default_heap()),
            page_cache or (before.page_cache if before else conf.get_default_page_cache()),
        )
        _write_auth(home)
        home.remember(instance)
        tell(f"starting Neo4j with {engine} compose (the first time it fetches the image) …")
        _compose(engine, home, instance, "up", "--detach", "--wait", "neo4j")
        return instance


def stop_container(home: Home, *, engine: str, tell: Callable[[str], None]) -> None:
    """Stop the container; its volume stays. Raise StoreError with the message of the engine."""
    instance = home.instance()
    if instance is not None:
        with take_lock(home.run / "lock", waiting=lambda: tell("another program starts or stops it; waiting …")):
            _compose(engine, home, instance, "down")


def _write_auth(home: Home) -> None:
    """Write the secret that the image reads: ``neo4j/PASSWORD``."""
    new = home.run / "auth.new"
    with private_file(new) as file:
        file.write(f"{USER}/{home.make_password()}")
    new.replace(home.run / "auth")


def _compose(engine: str, home: Home, instance: ServerInstance, *words: str) -> None:
    """Run a command of ``docker compose`` (or podman) with the server's settings."""
    settings = {
        "HYDRA_NEO4J_AUTH_FILE": str(home.run / "auth"),
        "HYDRA_NEO4J_BOLT_PORT": str(instance.bolt),
        "HYDRA_NEO4J_HTTP_PORT": str(instance.http),
        "HYDRA_NEO4J_HEAP": f"{instance.heap}m",
        "HYDRA_NEO4J_PAGE_CACHE": f"{instance.page_cache}m",
    }
    command = [engine, "compose", "--file", str(find_content("docker", "compose.yaml")), *words]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        raise StoreError(f"{engine} compose {words[0]} did not end: {e}", remedy=_remedy(engine)) from e
    if done.returncode:
        stderr = " ".join(done.stderr.split())[-500:] or f"exit status {done.returncode}"
        raise StoreError(f"{engine} compose {words[0]} failed: {stderr}", remedy=_remedy(engine))


def _remedy(engine: str) -> str:
    return f"{engine} logs hydra-kg-neo4j-1 may say more; hydra-kg up --local starts a server without containers."


def _answers(command: list[str]) -> bool:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    # Docker's client ends with 0 even where it found nobody to talk to.
    return done.returncode == 0 and "Cannot connect" not in done.stdout + done.stderr

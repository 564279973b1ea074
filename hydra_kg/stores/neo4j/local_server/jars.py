"""Gets the server's jars with Maven and checks each against the lock file in the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hydra_kg.errors import StoreError
from hydra_kg.events import Throttle
from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.util.checksums import sha256_of
from hydra_kg.util.package_data import find_content

REMEDY: Final = (
    "Install Maven (Debian: apt-get install maven), or start a container engine, or set NEO4J_URI to a server that "
    "runs elsewhere."
)
PATIENCE: Final = 1800.0  # seconds for a first download over a slow line

Lock = dict[str, tuple[int, str]]


def describe(path: Path) -> tuple[int, str]:
    """Return the bytes and SHA-256 of a file."""
    return path.stat().st_size, sha256_of(path)


def lock() -> Lock:
    """Return the locked jars: ``lib/NAME.jar`` → bytes, SHA-256."""
    rows = (
        line.split()
        for line in find_content("docker", "jars.lock").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    )
    return {name: (int(size), digest) for name, size, digest in rows}


def version() -> str:
    """Return the server version in the lock file."""
    names = (re.fullmatch(r"lib/neo4j-server-(\d[\w.-]*)\.jar", name) for name in lock())
    return next((match[1] for match in names if match), "of unknown version")


def wrong_jars(root: Path) -> list[str]:
    """Return descriptions of jars below ``root`` that are missing, unexpected, or different from the lock.

    Compares size and SHA-256, which takes 0.2 s of processor time.
    """
    wanted = lock()
    there = {f"{place}/{path.name}": path for place in ("lib", "plugins") for path in (root / place).glob("*.jar")}
    found = [f"{name} is missing" for name in sorted(wanted.keys() - there.keys())]
    found += [f"{name} is none of the lock's" for name in sorted(there.keys() - wanted.keys())]
    for name in sorted(wanted.keys() & there.keys()):
        if describe(there[name]) != wanted[name]:
            found.append(f"{name} is not what it was when the lock was made")
    return found


def ensure_jars(home: Home, *, java: str, tell: Callable[[str], None]) -> None:
    """Put all jars in place and check them. The first time, Maven downloads 145 MB.

    ``java`` is used to run Maven, and ``tell`` gets progress lines. Raises StoreError; old jars then stay.
    """
    if not (wrong := wrong_jars(home.root)):
        return
    if any((home.root / place).is_dir() for place in ("lib", "plugins")):
        tell(f"the jars of Neo4j are not those of the lock ({wrong[0]}): all are downloaded again")
    maven = shutil.which("mvn")
    if maven is None:
        raise StoreError(
            "The jars of Neo4j are missing or differ from the lock file, and Maven, which gets them, is missing.",
            remedy=REMEDY,
        )
    new = home.root / "jars.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    tell(f"getting Neo4j {version()} through Maven (145 MB the first time) …")
    _run_maven(
        [maven, "-q", "-B", "-f", str(find_content("docker", "pom.xml")), f"-Dhome={new}", "process-resources"],
        home,
        new,
        java=java,
        tell=tell,
    )
    if wrong := wrong_jars(new):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise StoreError(
            f"What Maven brought is not what hydra-kg was tested with: {wrong[0]}{more}.",
            remedy="Remove org/neo4j from Maven's local repository and try again. If it stays so, "
            f"do not start it: look at {new}.",
        )
    for place in ("lib", "plugins"):
        shutil.rmtree(home.root / place, ignore_errors=True)
        (new / place).replace(home.root / place)
    new.rmdir()


def _run_maven(command: list[str], home: Home, new: Path, *, java: str, tell: Callable[[str], None]) -> None:
    """Download the jars with Maven, and tell the progress."""
    log = home.logs / "maven.log"
    found = {} if shutil.which("java") else {"JAVA_HOME": str(Path(java).resolve().parent.parent)}
    begun, throttle = time.monotonic(), Throttle(5)
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=home.root, env={**found, **os.environ}
        ) as maven,
    ):
        while True:
            try:
                code = maven.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                now = time.monotonic()
                if now - begun > PATIENCE:
                    maven.kill()
                if throttle.due():
                    tell(f"  {now - begun:.0f} s, {len(list(new.glob('*/*.jar')))} of {len(lock())} jars in place")
            except BaseException:
                maven.terminate()
                raise
    if code:
        errors = [line for line in log.read_text("utf-8", "replace").splitlines() if "ERROR" in line]
        raise StoreError(
            f"Maven failed: {errors[0] if errors else f'exit status {code}'}",
            remedy=f"Its whole log is {log}. It needs a network or a mirror.",
        )

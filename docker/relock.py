"""Writes docker/jars.lock anew from what Maven resolves for docker/pom.xml: file, bytes, SHA-256."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from hydra_kg.stores.neo4j.local_server.java import describe

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Resolve into an empty folder, so that no file of an earlier version stays in the lock."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), f"-Dhome={folder}", "process-resources"]
        subprocess.run(command, check=True)
        jars = sorted((place, path) for place in ("lib", "plugins") for path in Path(folder, place).glob("*.jar"))
        lines = [" ".join((f"{place}/{path.name}", *map(str, describe(path)))) for place, path in jars]
    head = "# The jars of a local Neo4j as pom.xml names them: file, bytes, SHA-256. Written by relock.py.\n"
    (HERE / "jars.lock").write_text(head + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()

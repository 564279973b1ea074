"""Examines a Neo4j server: versions, Java, APOC, schema, memory, disk and password file, each with its remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.errors import HydraError, StoreError
from hydra_kg.stores.common.abilities import Finding, worst_first
from hydra_kg.stores.neo4j.connection.connect import address, connect, is_local, read, statement
from hydra_kg.stores.neo4j.connection.local_home import Home, get_default_home
from hydra_kg.stores.neo4j.connection.migrations import schema_status
from hydra_kg.stores.neo4j.local_server import java
from hydra_kg.stores.neo4j.local_server.java import wrong_jars

if TYPE_CHECKING:
    from neo4j import Driver

LOW: Final = 2_000_000_000  # bytes free below which a load may not fit
TESTED: Final = (5, 26)  # the release that the queries are measured and tested on


def examine(url: str = "", *, ask: Callable[[str], str] | None = None) -> list[Finding]:
    """Return all findings about a server, errors first, and about the folder of a local one. Raise UsageError."""
    url = address(url)
    found: list[Finding] = []
    try:
        driver = connect(url, ask=ask)
    except StoreError as e:
        found.append(Finding("error", str(e).splitlines()[0], e.remedy))
    else:
        with driver:
            for look in (_versions, _apoc, _schema, _loads, _memory):
                try:
                    found.extend(look(driver, url))
                except HydraError as e:
                    found.append(Finding("error", str(e).splitlines()[0], e.remedy))
    if is_local(url):
        found.extend(examine_home(get_default_home()))
    return worst_first(found)


def examine_home(home: Home) -> Iterator[Finding]:
    """Yield findings about a local server that need no connection to it."""
    instance = home.instance()
    if home.password() is None:
        yield Finding(
            "error",
            f"{home.password_file} is gone, so no login to the data next to it works.",
            "Put the file back, or remove the folder data to begin again.",
        )
    elif not home.password_is_private():
        yield Finding("warning", f"Others can read {home.password_file}.", f"chmod 600 {home.password_file}")
    if instance is not None and instance.kind == "local":
        try:
            found = java.find_java()
            yield Finding("note", f"The next start uses Java {found.version} ({found.path}).")
        except StoreError as e:
            yield Finding("error", str(e).splitlines()[0], e.remedy)
        if wrong := wrong_jars(home.root):
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            yield Finding(
                "error",
                f"A jar of the server is not as it was tested: {wrong[0]}{more}.",
                f"hydra-kg down; remove {home.lib} and {home.plugins}; hydra-kg up.",
            )
    used = _disk_usage(home)
    free = shutil.disk_usage(home.root).free
    text = f"{free / 1e9:.1f} GB are free on the disk of the server; its data takes {used / 1e9:.1f} GB."
    # An import builds the new store beside the old one.
    if free < max(LOW, used):
        yield Finding("warning", text, "Free space before the next load: an import needs the size of the data again.")
    else:
        yield Finding("note", text)


def _disk_usage(home: Home) -> int:
    """Return the bytes that files of the data folder use on disk. Files may vanish meanwhile.

    Transaction logs are reserved at 256 MB each, but use less.
    """
    total = 0
    for file in home.data.rglob("*"):
        with suppress(OSError):
            total += file.stat().st_blocks * 512
    return total


def _versions(driver: Driver, url: str) -> Iterator[Finding]:
    """Yield findings about the versions of the server and its Java."""
    row = _rows(driver, url, "server_version")[0]
    version, edition = str(row["version"]), str(row["edition"])
    text = f"Neo4j {version} ({edition})"
    number = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if number < (5, 0):
        yield Finding("error", f"{text} is too old: the queries need 5.", "Upgrade the server to 5.26.")
    elif number < TESTED:
        yield Finding("warning", f"{text} is older than what hydra-kg is tested with (5.26).", "Upgrade it to 5.26.")
    elif number > TESTED:
        yield Finding(
            "note",
            f"{text} is newer than what hydra-kg is tested with (5.26).",
            "If something fails, try it with a server of 5.26.",
        )
    else:
        yield Finding("note", text)
    try:
        yield Finding("note", f"It runs on Java {_rows(driver, url, 'server_java')[0]['java']}.")
    except (HydraError, IndexError):
        yield Finding(
            "note",
            "The server does not say which Java it runs on.",
            "Only administrators may ask; nothing depends on it.",
        )


def _apoc(driver: Driver, url: str) -> Iterator[Finding]:
    """Yield a note that says whether APOC is installed."""
    if _rows(driver, url, "server_apoc")[0]["procedures"]:
        yield Finding("note", f"APOC {_rows(driver, url, 'server_apoc_version')[0]['version']}")
    else:
        yield Finding(
            "note",
            "APOC is not installed. No query of hydra-kg needs it or is slower without it; what you "
            "miss are procedures for walking and exporting graphs by hand in Neo4j Browser.",
            "Put apoc-core of the server's version into its folder plugins and start it again; "
            "hydra-kg up does so by itself.",
        )


def _schema(driver: Driver, url: str) -> Iterator[Finding]:
    """Yield a finding for each difference from the schema that this version expects."""
    how = schema_status(driver, url=url)
    if how.changed:
        yield Finding(
            "error",
            f"The schema is not what this version expects: {', '.join(how.changed)} changed after it was applied.",
            "Install the version of hydra-kg that the data was loaded with, or load into an empty database.",
        )
    if how.foreign:
        yield Finding(
            "warning",
            f"A later version of hydra-kg changed the schema: {', '.join(how.foreign)}.",
            "Use that version here too.",
        )
    if how.pending:
        yield Finding(
            "warning",
            f"{len(how.pending)} migrations are missing, the first is {how.pending[0]}.",
            "hydra-kg db migrate (a load does it too)",
        )
    rows = _rows(driver, url, "server_indexes")
    for row in rows:
        if row["state"] == "FAILED":
            yield Finding(
                "error",
                f"The index {row['name']} failed.",
                "Drop it in Neo4j Browser, then run its statement of migrations/ again.",
            )
        elif row["state"] != "ONLINE":
            yield Finding(
                "warning",
                f"The index {row['name']} is being filled ({row['percent']:.0f} %).",
                "Wait: until then queries that need it are slow.",
            )
    if how.ready and all(row["state"] == "ONLINE" for row in rows):
        yield Finding("note", f"The schema is complete: {len(how.applied)} migrations, {len(rows)} indexes online.")


def _loads(driver: Driver, url: str) -> Iterator[Finding]:
    """Yield a finding for each load that was not finished."""
    for row in _rows(driver, url, "loads"):
        if row["load"].get("state") == "staging":
            name = row["load"].get("name")
            yield Finding(
                "warning",
                f"A load of {name} is running, or was stopped before it was done.",
                "If it was stopped: run the same load again to go on with it, or remove it with "
                f"hydra-kg sources drop {name}.",
            )


def _memory(driver: Driver, url: str) -> Iterator[Finding]:
    try:
        sizes = {str(row["name"]).rsplit(".", 2)[-2]: row["value"] for row in _rows(driver, url, "server_settings")}
    except HydraError:
        return  # only administrators may ask
    if sizes:
        yield Finding("note", f"Memory: heap {sizes.get('heap', '?')}, page cache {sizes.get('pagecache', '?')}")


def _rows(driver: Driver, url: str, name: str) -> list[dict[str, Any]]:
    return read(driver, lambda tx: tx.run(statement(name)).data(), url=url)

"""Run the commands of ``hydra-kg db`` on a store that is a Neo4j server."""

from __future__ import annotations

from typing import Any

from hydra_kg.cli.database.compact import index_words
from hydra_kg.cli.options import settings_from
from hydra_kg.cli.terminal import json_text, note, number, out, out_all, table


def server_address(store: str) -> str:
    """Return the server address in ``--store`` or the settings, or "" for a folder. Raise UsageError."""
    from hydra_kg.stores import is_server
    from hydra_kg.stores.neo4j.connection.connect import address

    named = str(settings_from(store=store).store)
    return address(named) if is_server(named) else ""


def server_status(url: str, *, as_json: bool) -> None:
    """Print the version, the contents and the migrations of the server."""
    from hydra_kg.stores.neo4j.connection.connect import connect, read, statement
    from hydra_kg.stores.neo4j.connection.migrations import schema_status

    with connect(url) as driver:
        version = read(driver, lambda tx: tx.run(statement("server_version")).data(), url=url)[0]
        schema = schema_status(driver, url=url)
        loads = [row["load"] for row in read(driver, lambda tx: tx.run(statement("loads")).data(), url=url)]
    ready = [load for load in loads if load["state"] == "ready"]
    doc: dict[str, Any] = {
        "store": url,
        "server": f"Neo4j {version['version']} ({version['edition']})",
        "ready": len(ready),
        "unfinished": sum(load["state"] == "staging" for load in loads),
        "loads": sorted(load["name"] for load in ready),
        "facts": sum(load.get("facts") or 0 for load in ready),
        "migrations": schema.to_json(),
        "index": _index(url) if ready and schema.ready else {},
    }
    if as_json:
        out(json_text(doc))
        return
    rows = [
        ("store", url),
        ("server", doc["server"]),
        ("ready loads", f"{doc['ready']} ({', '.join(doc['loads']) or 'none'})"),
        ("unfinished loads", number(doc["unfinished"])),
        ("facts", number(doc["facts"])),
        ("schema", f"{len(schema.applied)} migrations applied" + ("" if schema.ready else _unready(schema))),
    ]
    if doc["index"]:
        rows.append(("index of names", index_words(doc["index"])))
    out_all(table(rows))


def migrate_server(store: str, *, as_json: bool) -> None:
    """Apply missing migrations and print them."""
    from hydra_kg.errors import UsageError
    from hydra_kg.stores.neo4j.connection.connect import connect
    from hydra_kg.stores.neo4j.connection.migrations import migrate

    url = server_address(store)
    if not url:
        raise UsageError(
            "Only a Neo4j server has migrations; the embedded store needs none.",
            remedy="Give --store neo4j://host:port.",
        )
    done: list[str] = []

    def tell(line: str) -> None:
        done.append(line)
        note(line)

    with connect(url) as driver:
        schema = migrate(driver, url=url, tell=tell)
    if as_json:
        out(json_text({"store": url, "new": len(done), **schema.to_json()}))
    else:
        out(
            f"{number(len(done))} migrations applied now, {number(len(schema.applied))} in all; the schema is complete."
        )


def _index(url: str) -> dict[str, Any]:
    from hydra_kg.ports import NameIndexing
    from hydra_kg.stores import open_store

    store = open_store(url)
    try:
        return dict(store.name_index()) if isinstance(store, NameIndexing) else {}
    finally:
        store.close()


def _unready(schema: Any) -> str:
    return f", {len(schema.pending)} missing (hydra-kg db migrate)" + (
        f", changed since: {', '.join(schema.changed)}" if schema.changed else ""
    )

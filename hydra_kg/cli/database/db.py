"""Define ``hydra-kg db``: status, integrity checks, repair and schema migration of a store."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.database.compact import compact, index_words, name_index
from hydra_kg.cli.database.copy import backup, copy, restore
from hydra_kg.cli.database.publish import follow, publish
from hydra_kg.cli.options import common_options, settings_from
from hydra_kg.cli.terminal import json_text, note, number, out, out_all, table
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.ports import Store


@click.group()
def db() -> None:
    """Inspect and maintain a store."""


for command in (compact, name_index, backup, restore, copy, publish, follow):
    db.add_command(command)


@db.command()
@common_options
def status(*, store: str, as_json: bool) -> None:
    """Show what the store contains: loads, facts, disk, stored answers. For a server, also the state of its schema."""
    from hydra_kg.cli.database.server import server_address, server_status
    from hydra_kg.client import Hydra
    from hydra_kg.stores.embedded.segments.disk_full import folder_bytes

    if url := server_address(store):
        server_status(url, as_json=as_json)
        return
    with Hydra(settings=settings_from(store=store)) as hydra:
        loads = hydra.store.loads()
        ready = [load for load in loads if load["state"] == "ready"]
        disk = shutil.disk_usage(hydra.path)
        doc = {
            "store": str(hydra.path),
            "ready": len(ready),
            "unfinished": sum(load["state"] == "staging" for load in loads),
            "sources": sorted({s["name"] for load in ready for s in load["sources"]}),
            "facts": sum(load["facts"] for load in ready),
            "bytes": folder_bytes(getattr(hydra.store, "path", hydra.path)),
            "free": disk.free,
            "answers": len(hydra.traces.list(limit=1_000_000)),
            "places": _places(hydra.store),
            "index": _index(hydra.store),
        }
    if as_json:
        out(json_text(doc))
        return
    rows = [
        ("store", doc["store"]),
        ("ready loads", f"{doc['ready']} ({', '.join(doc['sources']) or 'none'})"),
        ("unfinished loads", f"{doc['unfinished']}"),
        ("facts", number(doc["facts"])),
        ("on disk", f"{bytes_text(doc['bytes'])}, {bytes_text(doc['free'])} free"),
        ("stored answers", number(doc["answers"])),
        ("links", f"in {number(doc['places'])} places{' (hydra-kg db compact)' if doc['places'] > 16 else ''}"),
    ]
    if doc["index"]:
        rows.append(("index of names", index_words(doc["index"])))
    out_all(table(rows))


@db.command()
@click.option("--repair", is_flag=True, help="Rebuild a catalog that is lost or damaged from the loads.")
@common_options
@click.pass_context
def doctor(ctx: click.Context, *, repair: bool, store: str, as_json: bool) -> None:
    """Read and check every file of the store, and say what to do about what is found.

    For a Neo4j server: versions, Java, APOC, schema, memory and disk. Exit status 1 if something is wrong, 0 if there
    is nothing or only remarks.
    """
    from hydra_kg.cli.database.server import server_address
    from hydra_kg.stores import open_store, store_path
    from hydra_kg.stores.common.abilities import Examinable

    if repair:
        from hydra_kg.stores.embedded.catalog.catalog_checks import rebuild_catalog

        if server_address(store):
            raise click.UsageError("--repair is for a store in a folder.")
        for line in rebuild_catalog(store_path(settings_from(store=store).store)):
            note(clean(line))
    if url := server_address(store):
        from hydra_kg.stores.neo4j.doctor import examine as examine_server

        findings = examine_server(url)
    else:
        with closing(open_store(settings_from(store=store).store)) as opened:
            findings = [*opened.doctor()] if isinstance(opened, Examinable) else []
    if as_json:
        out(json_text([f.to_json() for f in findings]))
    elif not findings:
        out("All files are intact; nothing to repair.")
    else:
        for f in findings:
            out(f"{f.level}: {clean(f.what)}")
            if f.remedy:
                out(f"  {clean(f.remedy)}")
    if any(f.level == "error" for f in findings):
        ctx.exit(1)


@db.command()
@common_options
def migrate(*, store: str, as_json: bool) -> None:
    """Bring the schema of a Neo4j server to what this version needs. What is there already is not changed."""
    from hydra_kg.cli.database.server import migrate_server

    migrate_server(store, as_json=as_json)


def _places(store: Store) -> int:
    from hydra_kg.stores.common.abilities import Compactable

    return store.places() if isinstance(store, Compactable) else 1


def _index(store: Store) -> dict[str, Any]:
    from hydra_kg.ports import NameIndexing

    return dict(store.name_index()) if isinstance(store, NameIndexing) else {}

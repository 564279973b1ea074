"""Use Neo4j Browser in ``hydra-kg show``: addresses that open an answer there, and answers put on a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hydra_kg.cli.terminal import json_text, number, out, out_all, warn
from hydra_kg.errors import UsageError
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.client import Hydra


def link_of(hydra: Hydra, doc: Mapping[str, Any], *, paths: int) -> dict[str, str] | None:
    """Return the ``url`` and ``cypher`` that show a kept answer in Browser, or None if it is not on a server."""
    from hydra_kg.stores.trace_store import ServerTraces

    traces = hydra.traces
    return traces.browse(doc["id"], paths=paths) if isinstance(traces, ServerTraces) else None


def link_lines(link: Mapping[str, str]) -> Iterator[str]:
    """Yield the address for people, or the query if there is no address."""
    if link["url"]:
        yield "In Neo4j Browser (log in, press Run; --cypher prints the query alone):"
        yield f"  {link['url']}"
    else:
        yield "Run this in the Browser of your provider's pages:"
        yield from (f"  {line}" for line in link["cypher"].splitlines())


def push(hydra: Hydra, doc: Mapping[str, Any], to: str, *, paths: int, as_json: bool) -> None:
    """Put an answer of this store and its facts on a server, and print how to see it. Raise UsageError, StoreError."""
    from hydra_kg.stores.neo4j.connection.connect import address
    from hydra_kg.stores.neo4j.store import Neo4jStore
    from hydra_kg.stores.neo4j.traces.browser_links import browse
    from hydra_kg.stores.neo4j.traces.push import collect_pushed_facts
    from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces

    url = address(to)
    if hydra.store.url == url:
        raise UsageError(
            "--to names the store itself, where the answer is already.", remedy="Leave --to out to get its address."
        )
    with hydra.store.snapshot() as snapshot:
        facts = collect_pushed_facts(doc, snapshot)
    with Neo4jStore(url) as target:
        Neo4jTraces(target.db).push(doc, facts)
        link = browse(url, doc["id"], paths=paths, db=target.db)
    if facts.missing:
        warn(f"{number(facts.missing)} facts that it used are no longer in this store; their paths are shown without.")
    if as_json:
        out(
            json_text({"id": doc["id"], "to": url, "facts": len(facts.rows), "missing": facts.missing, "browser": link})
        )
        return
    out(
        f"{clean(doc['id'])} is on {url}, with the {number(len(facts.rows))} facts it used. No answer of a store there "
        "uses them."
    )
    out_all(link_lines(link))
    out(f"Take it off again: hydra-kg show {clean(doc['id'])} --to {url} --remove")


def remove(key: str, to: str, *, as_json: bool) -> None:
    """Remove a kept answer from a server, with the facts that came with it. Raise NotFoundError, UsageError."""
    from hydra_kg.stores.neo4j.connection.connect import address
    from hydra_kg.stores.neo4j.store import Neo4jStore
    from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces

    url = address(to)
    with Neo4jStore(url) as target:
        traces = Neo4jTraces(target.db)
        found = str(traces.get(key)["id"])
        traces.remove(found)
    out(json_text({"id": found, "removed": url}) if as_json else f"{clean(found)} is no longer on {url}.")

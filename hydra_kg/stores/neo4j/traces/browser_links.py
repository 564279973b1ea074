"""Addresses that open Neo4j Browser on one explored graph. They never contain a password."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from hydra_kg.stores.neo4j.connection.connect import database, is_local, statement
from hydra_kg.stores.neo4j.connection.local_home import USER, get_default_home
from hydra_kg.text.quoting import cypher_text

if TYPE_CHECKING:
    from hydra_kg.stores.neo4j.connection.queries import Database

PATHS: Final = 10
HTTP: Final = 7474


def make_explored_query(key: str, *, paths: int = PATHS) -> str:
    """Return the Browser query for a saved answer, with ``paths`` kept and pruned paths of each phase."""
    return statement("explored").replace("$id", cypher_text(key)).replace("$paths", str(int(paths)))


def browser_link(base: str, uri: str, query: str, *, username: str = USER, database: str = "") -> str:
    """Return the address that opens a query in Browser.

    Browser decodes the address before it splits it, so ``&`` and ``#`` become Cypher escapes.
    """
    parts = urlsplit(uri)
    dbms = f"{parts.scheme}://{username}@{parts.netloc}"
    arg = query.replace("&", "\\u0026").replace("#", "\\u0023")
    where = f"&db={quote(database, safe='')}" if database else ""
    return f"{base}?dbms={quote(dbms, safe='')}{where}&cmd=edit&arg={quote(arg, safe='')}"


def browser_base(uri: str, db: Database | None = None) -> str:
    """Return the address of a server's Neo4j Browser, or "" if only the provider's own pages have one (Aura).

    It is ``NEO4J_BROWSER`` if that is set, else the one of the local server, else made from the HTTP port that the
    server reports, or the usual port.
    """
    if named := os.environ.get("NEO4J_BROWSER"):
        return named.partition("?")[0]
    parts = urlsplit(uri)
    host = parts.hostname or "localhost"
    instance = get_default_home().instance()
    if instance is not None and is_local(uri):
        return f"http://localhost:{instance.http}/browser/"
    if host.endswith(".neo4j.io"):
        return ""
    server_settings = _settings(db) if db is not None else {}
    secure = parts.scheme.endswith(("+s", "+ssc")) and server_settings.get("server.https.enabled") == "true"
    kind, usual = ("https", 7473) if secure else ("http", HTTP)
    port = server_settings.get(f"server.{kind}.advertised_address", "").rpartition(":")[2]
    host = f"[{host}]" if ":" in host else host
    return f"{kind}://{host}:{port if port.isdigit() and port != '0' else usual}/browser/"


def browse(uri: str, key: str, *, paths: int = PATHS, db: Database | None = None) -> dict[str, str]:
    """Return ``url`` ("" if unknown) and ``cypher`` that show a saved answer of the server at ``uri``."""
    query = make_explored_query(key, paths=paths)
    base = browser_base(uri, db)
    username = os.environ.get("NEO4J_USERNAME") or USER
    url = browser_link(base, uri, query, username=username, database=database(uri) or "") if base else ""
    return {"url": url, "cypher": query}


def _settings(db: Database) -> dict[str, str]:
    """Return the server's settings for HTTP ports; none if only administrators may read them."""
    try:
        return {str(name): str(value) for name, value in db.read("server_http")}
    except Exception:  # an address is a courtesy
        return {}

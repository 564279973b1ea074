"""Opens the saved answers of a store: a local file, or for a server its graph, with a local file as fallback."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra_kg.errors import HydraError, NotFoundError
from hydra_kg.ports import Store
from hydra_kg.stores.common.abilities import OnServer
from hydra_kg.stores.embedded.traces import SqliteTraces

if TYPE_CHECKING:
    from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces

Warn = Callable[[str], None]


def open_traces(store: Callable[[], Store], folder: Path, *, server: bool, warn: Warn | None = None) -> OpenedTraces:
    """Open the saved answers; calls ``store`` only if it is a server.

    ``folder`` is the folder of an embedded store, or the local fallback for a server.
    """
    own = SqliteTraces(folder / "traces.sqlite", warn=warn)
    if not server:
        return own
    from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces

    opened = store()
    return ServerTraces(Neo4jTraces(opened.db), own, warn=warn) if isinstance(opened, OnServer) else own


class ServerTraces:
    """The port TraceStore on a server. Answers that the server refuses go to a local file, with one warning."""

    def __init__(self, server: Neo4jTraces, own: SqliteTraces, *, warn: Warn | None = None) -> None:
        self.server, self.own = server, own
        self._warn = warn or logging.getLogger("hydra_kg").warning
        self._warned = False

    def save(self, answer: Mapping[str, Any]) -> None:
        """Save one answer. Errors of the server or the disk are not raised."""
        try:
            self.server.save(answer)
        except Exception as e:  # whatever it is: the answer was printed, and keeping it must not fail it
            if not self._warned:
                self._warned = True
                cause = str(e).partition("\n")[0] if isinstance(e, HydraError) else f"{type(e).__name__}: {e}"
                self._warn(f"The answer could not be stored on the server and was stored in {self.own.path}. {cause}")
            self.own.path.parent.mkdir(parents=True, exist_ok=True)
            self.own.save(answer)

    def get(self, key: str = "") -> Mapping[str, Any]:
        """Return a saved answer by id or unique prefix; the newest for "". Raise NotFoundError, StoreCorruptError."""
        if not key:
            newest = self.list(limit=1)
            return self.get(newest[0]["id"]) if newest else self.server.get()
        try:
            return self.server.get(key)
        except NotFoundError:
            if not self.own.path.exists():
                raise
            return self.own.get(key)

    def browse(self, key: str, *, paths: int) -> dict[str, str] | None:
        """Return the address and query that show a saved answer in Neo4j Browser; None if it is only saved locally."""
        from hydra_kg.stores.neo4j.traces.browser_links import browse

        try:
            self.server.get(key)
        except NotFoundError:
            return None
        return browse(self.server.db.url, key, paths=paths, db=self.server.db)

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        rows = [*self.server.list(limit=limit), *self.own.list(limit=limit)]
        return sorted(rows, key=lambda row: str(row["created"]), reverse=True)[:limit]

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        return [*self.server.questions_using(source), *self.own.questions_using(source)]

    def close(self) -> None:
        """Close the local file; the store closes its server."""
        self.own.close()


OpenedTraces = SqliteTraces | ServerTraces
"""The saved answers of a store, to be closed together with it."""

"""SearXNG, a search engine that people run themselves (its JSON API)."""

from __future__ import annotations

from hydra_kg.domain import WebResult
from hydra_kg.errors import NetworkError, SettingsError
from hydra_kg.web.providers import QUERY, ask, base_address, result, rows


class SearXNG:
    """The port WebSearch over ``base_url/search?format=json``. Raises SettingsError for an address that is none."""

    name = "searxng"

    def __init__(self, base_url: str, *, timeout: float = 10.0) -> None:
        if not base_url:
            remedy = "Set web.url (HYDRA_WEB_URL) to that of yours, such as http://localhost:8080."
            raise SettingsError("SearXNG has no address of its own.", remedy=remedy)
        self._base, self._timeout = base_address(base_url), timeout

    def search(self, query: str, *, limit: int) -> list[WebResult]:
        """At most ``limit`` pages, best first; SearXNG knows no related questions. Raises NetworkError."""
        reply = ask(self._base, "search", {"q": query[:QUERY], "format": "json"}, seconds=self._timeout)
        if reply.status != 200:
            remedy = "Add json to search.formats in its settings.yml." if reply.status == 403 else "Check web.url."
            raise NetworkError(f"SearXNG answered with status {reply.status}.", remedy=remedy)
        (found,) = rows(reply.body, "results")
        results = (result(r.get("title"), r.get("url"), r.get("content")) for r in found)
        return [r for r in results if r is not None][:limit]

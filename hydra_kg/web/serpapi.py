"""SerpAPI, a paid door to Google's results and to the questions that Google relates to them."""

from __future__ import annotations

import logging
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote, quote_plus

from hydra_kg.domain import WebResult
from hydra_kg.errors import NetworkError, SettingsError
from hydra_kg.web.providers import QUERY, ask, base_address, result, rows

BASE: Final = "https://serpapi.com"
_REMEDIES: Final = {401: "Check SERPAPI_API_KEY.", 429: "The account has no searches left for now."}
_LOGS: Final = ("httpx", "httpcore", "httpcore.connection", "httpcore.http11", "httpcore.proxy")


class SerpApi:
    """WebSearch over ``base_url/search.json``. The key, which the API takes in the address, is removed from replies,
    errors and logs. Raises SettingsError without a key or https."""

    name = "serpapi"

    def __init__(self, key: str, *, base_url: str = "", timeout: float = 10.0) -> None:
        if not key.strip():
            raise SettingsError("SerpAPI needs a key.", remedy="Set SERPAPI_API_KEY.")
        self._base, self._timeout, self._key = base_address(base_url or BASE), timeout, key.strip()
        if self._base.scheme != "https" and not _here(self._base.host):
            raise SettingsError("The key of SerpAPI would be sent in the clear.", remedy="Set web.url to https.")
        for name in _LOGS:
            logging.getLogger(name).addFilter(self._without_key)

    def search(self, query: str, *, limit: int) -> list[WebResult]:
        """Return at most ``limit`` pages, best first, then as many related questions. Raises NetworkError."""
        asked = {"engine": "google", "q": query[:QUERY], "num": str(limit), "api_key": self._key}
        reply = ask(self._base, "search.json", asked, seconds=self._timeout)
        if reply.status != 200:
            raise NetworkError(
                f"SerpAPI answered with status {reply.status}.", remedy=_REMEDIES.get(reply.status, "Try again later.")
            )
        pages, questions = rows(
            self._clean(reply.body.decode("utf-8", "replace")).encode(), "organic_results", "related_questions"
        )
        found = [result(r.get("title"), r.get("link"), r.get("snippet")) for r in pages]
        related = [result(r.get("title"), r.get("link"), r.get("snippet"), r.get("question")) for r in questions]
        best = [r for r in found if r is not None][:limit]
        return [*best, *[r for r in related if r is not None and r.question and r.snippet][:limit]]

    def _clean(self, text: str) -> str:
        for form in dict.fromkeys((self._key, quote(self._key, safe=""), quote_plus(self._key))):
            text = text.replace(form, "…")
        return text

    def _without_key(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if (clean := self._clean(message)) != message:
            record.msg, record.args = clean, ()
        return True


def _here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

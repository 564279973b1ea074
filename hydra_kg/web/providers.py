"""Search engines from settings: SearXNG, which people run themselves (JSON API), and SerpApi."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from contextlib import closing
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import quote, quote_plus

import httpx

from hydra_kg.domain import WebResult
from hydra_kg.errors import NetworkError, SettingsError
from hydra_kg.ports import PageFetcher, WebSearch
from hydra_kg.settings import Settings
from hydra_kg.util.installed import require_web
from hydra_kg.web.addresses import is_host
from hydra_kg.web.network import Deadline, HttpReply, Transport, get

ANSWER: Final = 4_000_000  # bytes of a search engine's answer
QUERY: Final = 400  # characters of a query; engines refuse or cut longer ones
_TITLE, _SNIPPET, _URL = 300, 1_000, 2_048


def base_address(text: str) -> httpx.URL:
    """Return the configured address of a search engine. Raises SettingsError."""
    try:
        url = httpx.URL(text.rstrip("/"))
    except (httpx.InvalidURL, ValueError):
        url = httpx.URL("")
    if url.scheme not in {"http", "https"} or not is_host(url.host) or url.userinfo or url.query:
        raise SettingsError(
            f"{text[:200]!r} is not the address of a search engine.",
            remedy="Set web.url to something like http://localhost:8080.",
        )
    return url


def ask(base: httpx.URL, path: str, asked: Mapping[str, str], *, seconds: float) -> HttpReply:
    """GET base/path?asked. Private addresses are allowed too, since a person configures them. Raises NetworkError."""
    url = base.copy_with(path=f"{base.path.rstrip('/')}/{path}", params=asked)
    with closing(Transport(Deadline(seconds), check=lambda address: "")) as transport:
        return get(transport, url, limit=ANSWER)


def rows(body: bytes, *keys: str) -> list[list[Mapping[str, Any]]]:
    """Return the lists of objects under the keys of a JSON object, [] for a missing one. Raises NetworkError."""
    try:
        doc = json.loads(body)
    except (ValueError, RecursionError) as e:
        raise NetworkError("The search engine's answer is not JSON.", remedy="Check web.engine and web.url.") from e
    if not isinstance(doc, dict):
        raise NetworkError("The search engine's answer has an unexpected form.", remedy="Check web.engine and web.url.")
    lists = [doc.get(k) for k in keys]
    return [[x for x in found if isinstance(x, dict)] if isinstance(found, list) else [] for found in lists]


def make_result(title: object, url: object, snippet: object, question: object = "") -> WebResult | None:
    """Return a result of text alone, clipped, or None for a result without an address."""
    address = _text(url, _URL + 1)
    if not address.startswith(("http://", "https://")) or len(address) > _URL:
        return None
    return WebResult(_text(title, _TITLE), address, _text(snippet, _SNIPPET), _text(question, _TITLE))


def _text(value: object, most: int) -> str:
    return " ".join(value.split())[:most].encode("utf-8", "replace").decode() if isinstance(value, str) else ""


class SearXNG:
    """A WebSearch (port) over ``base_url/search?format=json``. Raises SettingsError for an invalid address."""

    name = "searxng"

    def __init__(self, base_url: str, *, timeout: float = 10.0) -> None:
        if not base_url:
            remedy = "Set web.url (HYDRA_WEB_URL) to that of yours, such as http://localhost:8080."
            raise SettingsError("SearXNG has no address of its own.", remedy=remedy)
        self._base, self._timeout = base_address(base_url), timeout

    def search(self, query: str, *, limit: int) -> list[WebResult]:
        """Return at most ``limit`` pages, best first. SearXNG has no related questions. Raises NetworkError."""
        reply = ask(self._base, "search", {"q": query[:QUERY], "format": "json"}, seconds=self._timeout)
        if reply.status != 200:
            remedy = "Add json to search.formats in its settings.yml." if reply.status == 403 else "Check web.url."
            raise NetworkError(f"SearXNG answered with status {reply.status}.", remedy=remedy)
        (found,) = rows(reply.body, "results")
        results = (make_result(r.get("title"), r.get("url"), r.get("content")) for r in found)
        return [r for r in results if r is not None][:limit]


BASE: Final = "https://serpapi.com"
_REMEDIES: Final = {401: "Check SERPAPI_API_KEY.", 429: "The account has no searches left for now."}
_LOGS: Final = ("httpx", "httpcore", "httpcore.connection", "httpcore.http11", "httpcore.proxy")


class SerpApi:
    """A WebSearch over ``base_url/search.json``.

    The API takes the key in the address, so it is removed from replies, errors and logs. Raises SettingsError without a
    key or https.
    """

    name = "serpapi"

    def __init__(self, key: str, *, base_url: str = "", timeout: float = 10.0) -> None:
        if not key.strip():
            raise SettingsError("SerpAPI needs a key.", remedy="Set SERPAPI_API_KEY.")
        self._base, self._timeout, self._key = base_address(base_url or BASE), timeout, key.strip()
        if self._base.scheme != "https" and not _here(self._base.host):
            raise SettingsError("The key of SerpAPI would be sent unencrypted.", remedy="Set web.url to https.")
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
        found = [make_result(r.get("title"), r.get("link"), r.get("snippet")) for r in pages]
        related = [make_result(r.get("title"), r.get("link"), r.get("snippet"), r.get("question")) for r in questions]
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


def make_search(settings: Settings) -> WebSearch | None:
    """Return the configured search engine or None. Raises NetworkError, SettingsError."""
    if not settings.web.engine:
        return None
    _permit(settings)
    require_web()
    from hydra_kg.web.providers import SearXNG, SerpApi

    if settings.web.engine == "searxng":
        return SearXNG(settings.web.url, timeout=settings.web.timeout)
    key = os.environ.get("SERPAPI_API_KEY", "")
    return SerpApi(key, base_url=settings.web.url, timeout=settings.web.timeout)


def make_fetcher(settings: Settings) -> PageFetcher:
    """Return a fetcher of pages.

    Reuse it, because it remembers what sites allow. Raises NetworkError if the network is forbidden.
    """
    _permit(settings)
    from hydra_kg.web.fetch import SafeFetcher

    return SafeFetcher(timeout=settings.web.timeout)


def _permit(settings: Settings) -> None:
    if settings.no_network:
        raise NetworkError(
            "The network is forbidden, so the web cannot be asked.",
            remedy="Leave out --no-network, or set web to nothing.",
        )

"""What all search engines share: one bounded request, and results taken from what may be anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any, Final

import httpx

from hydra_kg.domain import WebResult
from hydra_kg.errors import NetworkError, SettingsError
from hydra_kg.web.addresses import is_host
from hydra_kg.web.network import Deadline, HttpReply, Transport, get

ANSWER: Final = 4_000_000  # bytes of a search engine's answer
QUERY: Final = 400  # characters of a query; engines refuse or cut longer ones
_TITLE, _SNIPPET, _URL = 300, 1_000, 2_048


def base_address(text: str) -> httpx.URL:
    """The address of a search engine as a person configured it. Raises SettingsError."""
    try:
        url = httpx.URL(text.rstrip("/"))
    except (httpx.InvalidURL, ValueError):
        url = httpx.URL("")
    if url.scheme not in {"http", "https"} or not is_host(url.host) or url.userinfo or url.query:
        raise SettingsError(
            f"{text[:200]!r} is no address of a search engine.",
            remedy="Set web.url to something like http://localhost:8080.",
        )
    return url


def ask(base: httpx.URL, path: str, asked: Mapping[str, str], *, seconds: float) -> HttpReply:
    """GET base/path?asked. Any address may be configured, also a private one. Raises NetworkError."""
    url = base.copy_with(path=f"{base.path.rstrip('/')}/{path}", params=asked)
    with closing(Transport(Deadline(seconds), check=lambda address: "")) as transport:
        return get(transport, url, limit=ANSWER)


def rows(body: bytes, *keys: str) -> list[list[Mapping[str, Any]]]:
    """The lists of objects under the keys of a JSON object, [] for one that is missing. Raises NetworkError."""
    try:
        doc = json.loads(body)
    except (ValueError, RecursionError) as e:
        raise NetworkError("The search engine's answer is no JSON.", remedy="Check web.engine and web.url.") from e
    if not isinstance(doc, dict):
        raise NetworkError(
            "The search engine's answer is not what it should be.", remedy="Check web.engine and web.url."
        )
    lists = [doc.get(k) for k in keys]
    return [[x for x in found if isinstance(x, dict)] if isinstance(found, list) else [] for found in lists]


def result(title: object, url: object, snippet: object, question: object = "") -> WebResult | None:
    """A result of text alone, clipped; None for one without an address."""
    address = _text(url, _URL + 1)
    if not address.startswith(("http://", "https://")) or len(address) > _URL:
        return None
    return WebResult(_text(title, _TITLE), address, _text(snippet, _SNIPPET), _text(question, _TITLE))


def _text(value: object, most: int) -> str:
    return " ".join(value.split())[:most].encode("utf-8", "replace").decode() if isinstance(value, str) else ""

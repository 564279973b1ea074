"""Turn settings into a search engine and a fetcher."""

from __future__ import annotations

import os

from hydra_kg.errors import NetworkError
from hydra_kg.ports import PageFetcher, WebSearch
from hydra_kg.settings import Settings
from hydra_kg.util.installed import require_web


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

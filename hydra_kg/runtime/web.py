"""Give a question access to the web: searched and read by threads, recorded or replayed, stored for later questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from hydra_kg.domain import Analysis, Evidence, Passage
from hydra_kg.ports import Agent, PageFetcher, WebSearch
from hydra_kg.settings import Settings
from hydra_kg.util import cancelling
from hydra_kg.util.fast_dataclass import dataclass, field

Start = Callable[[Analysis, str], Callable[[], Sequence[Passage]]]
"""Function that starts a search for a question; the function that it returns waits for the passages."""

THREADS = 8
"""Most searches, and most pages, that run at the same time."""


class PageCache(Protocol):
    """Port for the page cache: web pages of earlier questions."""

    def keep(
        self,
        passages: Sequence[Passage],
        evidence: Sequence[Evidence] = (),
        *,
        question: str = "",
        agent: str = "",
        now: datetime,
        days: int,
    ) -> int:
        """Store pages, with the hops for which evidence cites them."""

    def passages(self, query: str, *, now: datetime, limit: int) -> list[Passage]:
        """Return passages of pages that fit a question and have not expired."""

    def pages(self, *, now: datetime) -> Sequence[Any]:
        """Return all pages that have not expired."""


@dataclass
class WebTool:
    """Search engine, page fetcher and stored pages for questions.

    Args:
        search, fetcher: replace the configured ones.
        record, replay: files to record replies to, or to replay them from.
    """

    settings: Settings
    record: str = ""
    replay: str = ""
    page_cache: PageCache | None = None
    keep: bool = False
    search: WebSearch | None = None
    fetcher: PageFetcher | None = None
    _searching: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS, "hydra-kg search"))
    _reading: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS, "hydra-kg read"))

    def start(self, agent: Agent, notes: list[str], found: list[Passage]) -> Start | None:
        """Return a function that starts the web search for one question.

        Return None if there is neither a search engine nor a stored page. Failures are added to ``notes``, passages to
        ``found``.
        """
        search = self._ports[0]
        if search is None and not (self.page_cache and self.page_cache.pages(now=datetime.now(UTC))):
            return None

        def begin(analysis: Analysis, question: str) -> Callable[[], Sequence[Passage]]:
            running = self._searching.submit(cancelling.carry_to_thread(self._passages), agent, analysis, question)

            def wait() -> Sequence[Passage]:
                passages, failures = running.result()
                notes.extend(n for n in failures if n not in notes)
                found.extend(p for p in passages if p not in found)
                return passages

            return wait

        return begin

    def snippets(self, notes: list[str], found: list[Passage]) -> Callable[[str, int], Sequence[Passage]] | None:
        """Return a function that searches and returns results as title and snippet; None without a search engine.

        The function adds failures to ``notes`` and results to ``found``.
        """
        search = self._ports[0]
        if search is None:
            return None

        def begin(question: str, most: int) -> Sequence[Passage]:
            from hydra_kg.steps.text.web_search import snippets

            passages, failures = snippets(search, question, most=most)
            notes.extend(n for n in failures if n not in notes)
            found.extend(p for p in passages if p not in found)
            return passages

        return begin

    def remember(self, passages: Sequence[Passage], evidence: Sequence[Evidence], *, question: str, agent: str) -> None:
        """Store what a question found, if that is wanted."""
        if self.keep and self.page_cache is not None:
            now = datetime.now(UTC)
            self.page_cache.keep(
                passages, evidence, question=question, agent=agent, now=now, days=self.settings.web.days
            )

    def _passages(self, agent: Agent, analysis: Analysis, question: str) -> tuple[list[Passage], list[str]]:
        """Return passages of web pages for a question, and notes about failures."""
        from hydra_kg.steps.text.web_search import web_passages

        search, fetcher = self._ports
        passages, notes = list[Passage](), list[str]()
        if search is not None and fetcher is not None:
            passages, notes = web_passages(
                search,
                fetcher,
                agent,
                analysis,
                question,
                results=self.settings.web.results,
                pages=self.settings.web.pages,
                mapper=self._map,
            )
        if self.page_cache is not None:
            fresh = {p.source.name for p in passages}
            old = self.page_cache.passages(question, now=datetime.now(UTC), limit=self.settings.web.pages)
            passages += [p for p in old if p.source.name not in fresh]
        return passages, notes

    def _map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
        return self._reading.map(cancelling.carry_to_thread(function), items)

    @cached_property
    def _ports(self) -> tuple[WebSearch | None, PageFetcher | None]:
        """Return the search engine and the fetcher, made when a question first needs them."""
        if self.search is None and not self.settings.web.engine:
            return None, None
        from hydra_kg.web.cassette import WebRecorder, WebReplayer
        from hydra_kg.web.providers import make_fetcher, make_search

        if self.replay:
            player = WebReplayer(Path(self.replay))
            return (player, player) if self.settings.web.engine else (None, None)
        quiet = self.settings.no_network
        search = self.search or (None if quiet else make_search(self.settings))
        if search is None:
            return None, None
        fetcher = self.fetcher or make_fetcher(self.settings)
        if not self.record:
            return search, fetcher
        recorder = WebRecorder(Path(self.record))
        return recorder.search(search), recorder.fetcher(fetcher)

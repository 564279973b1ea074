"""The web as a source of one question (HydraRAG Algorithm 2): search, choose, read, each page a passage."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from hydra_kg.domain import Analysis, Locator, Passage, Source, WebPage, WebResult
from hydra_kg.errors import NetworkError
from hydra_kg.ports import Agent, PageFetcher, WebSearch
from hydra_kg.text.folding import tokens
from hydra_kg.util import tracing
from hydra_kg.util.installed import require_web

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""Like ``map``; one that runs calls at the same time must keep their order."""

NAME: Final = 120  # characters of an address that make a source's name
# Sites whose text is that of a source which is loaded under this origin: they confirm nothing of it.
_KNOWN: Final = {
    "wikipedia.org": "wikipedia",
    "wikiwand.com": "wikipedia",
    "dbpedia.org": "wikipedia",
    "wikidata.org": "wikidata",
}


def web_passages(
    search: WebSearch,
    fetcher: PageFetcher,
    agent: Agent,
    analysis: Analysis,
    question: str,
    *,
    results: int,
    pages: int,
    mapper: Mapper = map,
) -> tuple[list[Passage], list[str]]:
    """Return passages of the web, and notes on failures.

    Pages come in the order of the agent and the search engine. A page gives its main text, or else the snippet of the
    search result. Related questions come last.
    """
    try:
        with tracing.span("execute_tool web_search", _tool("web_search"), client=True):
            found = search.search(question, limit=results)
    except NetworkError as e:
        return [], [f"The web was not searched: {_line(e)}"]
    candidates = list({r.url: r for r in reversed(found) if not r.question}.values())[::-1]
    chosen = [candidates[n] for n in dict.fromkeys(agent.select_pages(analysis, candidates, most=pages))][:pages]

    def read(result: WebResult) -> WebPage | str:
        try:
            with tracing.span("execute_tool web_fetch", _tool("web_fetch"), client=True):
                return fetcher.fetch(result.url)
        except NetworkError as e:
            return _line(e)

    passages, notes, seen = list[Passage](), list[str](), set[str]()
    for result, page in zip(chosen, mapper(read, chosen), strict=True):
        if isinstance(page, str):
            notes.append(f"A page was not read, what the search engine says of it is used: {page}")
            _add(passages, result.title, result.snippet, result.url)
        elif page.url not in seen:
            seen.add(page.url)
            _add(passages, page.title or result.title, page.text, page.url)
    for result in found:
        if result.question:
            _add(passages, result.question, result.snippet, result.url)
    return passages, notes


def snippets(search: WebSearch, question: str, *, most: int) -> tuple[list[Passage], list[str]]:
    """Return title and snippet of the ``most`` best results as passages, and a note if the search failed."""
    try:
        with tracing.span("execute_tool web_search", _tool("web_search"), client=True):
            found = [r for r in search.search(question, limit=most) if not r.question]
    except NetworkError as e:
        return [], [f"The web was not searched: {_line(e)}"]
    passages = list[Passage]()
    for result in found[:most]:
        _add(passages, result.title, result.snippet, result.url)
    return passages, []


def page_source(url: str, *, origin: str = "") -> Source:
    """Return a page as a source that is named by its address, with its site (:func:`site_of`) as origin."""
    parts = urlsplit(url)
    plain = f"{parts.scheme}://{parts.netloc}{parts.path}"
    name = plain[:NAME]
    if name != plain or parts.query:
        name += f"~{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()[:6]}"
    return Source(name, "web", origin=origin or site_of(url), url=url)


def site_of(url: str) -> str:
    """Return the registered domain of a page, or else its host, as its origin. Raises SettingsError."""
    try:
        from tld import get_fld
    except ImportError:
        require_web()
        raise

    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return str(ip_address(host))
    except ValueError:
        registered = get_fld(url, fail_silently=True, search_private=True) or ".".join(host.split(".")[-2:])
    return _KNOWN.get(registered, registered)


def passage_of(title: str, text: str, source: Source) -> Passage:
    """Return the text of a page as a passage; its id is made of text and place, as for loaded passages."""
    joined = "\x1f".join((source.name, source.url, title, text))
    key = "p" + hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:15]
    return Passage(key, title, text, source, Locator(page=title, url=source.url))


def _add(passages: list[Passage], title: str, text: str, url: str) -> None:
    if text:
        # A copy is no second witness.
        words = tokens(text)
        copied = next((p.source.origin for p in passages if tokens(p.text) == words), "")
        passages.append(passage_of(title, text, page_source(url, origin=copied)))


def _tool(name: str) -> dict[str, str]:
    """Return the attributes of a call to the web by the GenAI conventions."""
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}


def _line(error: NetworkError) -> str:
    return " ".join(str(error).split())

"""Record web searches and pages as JSON lines, and replay them from such a file without any network access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra_kg.domain import WebPage, WebResult
from hydra_kg.errors import NetworkError
from hydra_kg.ports import PageFetcher, WebSearch
from hydra_kg.util.jsonl_recording import JsonlRecording, entries, no_record


class WebRecorder:
    """Appends every search and page to a cassette, failures too.

    A record is a JSON line that begins with ``web``. See :class:`hydra_kg.util.jsonl_recording.JsonlRecording`.
    """

    def __init__(self, path: Path) -> None:
        self._recording = JsonlRecording(path)

    def search(self, inner: WebSearch) -> WebSearch:
        """Return a search engine that records the results of ``inner``."""
        return _RecordedSearch(inner, self)

    def fetcher(self, inner: PageFetcher) -> PageFetcher:
        """Return a fetcher that records the pages of ``inner``."""
        return _RecordedFetcher(inner, self)

    def append(self, kind: str, asked: str, outcome: dict[str, Any]) -> None:
        """Write one record."""
        self._recording.append({"web": kind, "asked": asked, **outcome})


class WebReplayer:
    """A WebSearch and PageFetcher that answers from the ``web`` lines of a cassette.

    The last record of a request counts.

    Raises NotFoundError, FormatError, NetworkError.
    """

    name = "replay"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[tuple[str, str], tuple[WebResult, ...] | WebPage | NetworkError] = {}
        for number, entry in entries(path):
            if "web" not in entry:
                continue
            try:
                self._found[str(entry["web"]), str(entry["asked"])] = _outcome(entry)
            except (ValueError, KeyError, TypeError) as e:
                raise no_record(path, number, e) from e

    def search(self, query: str, *, limit: int) -> Sequence[WebResult]:
        """Return the recorded results of this query. Raises NotFoundError if it was not recorded."""
        found = self._get("search", query)
        assert isinstance(found, tuple)
        pages, questions = ([r for r in found if bool(r.question) is related] for related in (False, True))
        return [*pages[:limit], *questions[:limit]]

    def fetch(self, url: str) -> WebPage:
        """Return the recorded page of this address. Raises NotFoundError if it was not recorded."""
        found = self._get("page", url)
        assert isinstance(found, WebPage)
        return found

    def _get(self, kind: str, asked: str) -> tuple[WebResult, ...] | WebPage:
        found = self._found.get((kind, asked))
        if found is None:
            raise NetworkError(
                f"{self.path} holds no {kind} for {asked[:120]!r}.", remedy="Record it again with --record."
            )
        if isinstance(found, NetworkError):
            raise NetworkError(found.args[0], remedy=found.remedy)
        return found


class _RecordedSearch:
    def __init__(self, inner: WebSearch, recorder: WebRecorder) -> None:
        self.name = inner.name
        self._inner, self._recorder = inner, recorder

    def search(self, query: str, *, limit: int) -> Sequence[WebResult]:
        try:
            found = self._inner.search(query, limit=limit)
        except NetworkError as e:
            self._recorder.append("search", query, _error(e))
            raise
        self._recorder.append("search", query, {"results": [asdict(r) for r in found]})
        return found


class _RecordedFetcher:
    def __init__(self, inner: PageFetcher, recorder: WebRecorder) -> None:
        self._inner, self._recorder = inner, recorder

    def fetch(self, url: str) -> WebPage:
        try:
            page = self._inner.fetch(url)
        except NetworkError as e:
            self._recorder.append("page", url, _error(e))
            raise
        self._recorder.append("page", url, {"page": asdict(page)})
        return page


def _error(e: NetworkError) -> dict[str, Any]:
    return {"error": {"message": e.args[0], "remedy": e.remedy}}


def _outcome(entry: dict[str, Any]) -> tuple[WebResult, ...] | WebPage | NetworkError:
    if (failure := entry.get("error")) is not None:
        return NetworkError(str(failure["message"]), remedy=str(failure["remedy"]))
    if entry["web"] == "page":
        return WebPage(**entry["page"])
    return tuple(WebResult(**r) for r in entry["results"])

"""Stand-ins for models, the web, indexes and kept answers, without weights, sockets and files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from hydra_kg.domain import Completion, Floats, Ids, Relation, WebPage, WebResult
from hydra_kg.errors import ModelError, NetworkError, NotFoundError
from hydra_kg.text.folding import tokens

Messages = Sequence[Mapping[str, str]]
ScriptedReply = str | Completion


class FakeEmbedder:
    """Test embedder with a hashed bag of words, so that only texts that share words are similar."""

    def __init__(self, *, dimension: int = 64) -> None:
        self.name = "fake"
        self.dimension = dimension
        self.checksum = f"fake-{dimension}"

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 (n, dimension), each of length 1. A text without words lies on the first axis."""
        out = np.zeros((len(texts), self.dimension), np.float32)
        for vector, text in zip(out, texts, strict=True):
            for word in tokens(text):
                digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
                vector[int.from_bytes(digest[:4], "big") % self.dimension] += 1 if digest[4] & 1 else -1
            if not vector.any():
                vector[0] = 1
            vector /= np.linalg.norm(vector)
        return out


class FakeLanguageModel:
    """Test model that gives scripted replies in order, or those of a function, and records ``calls`` and ``steps``.

    An exception in the script is raised. Words count as tokens. After the last reply it raises ModelError.
    """

    def __init__(
        self,
        replies: Sequence[ScriptedReply | Exception] | Callable[[Messages], ScriptedReply] = (),
        *,
        name: str = "fake",
    ) -> None:
        self.name = name
        self.calls: list[list[dict[str, str]]] = []
        self.steps: list[str] = []
        self._replies = replies

    def complete(
        self,
        messages: Messages,
        *,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
        sample: int = 0,
        step: str = "",
        logprobs: int = 0,
    ) -> Completion:
        """Return the next reply."""
        self.calls.append([dict(m) for m in messages])
        self.steps.append(step)
        reply = self._next(messages)
        if isinstance(reply, str):
            reply = Completion(reply, sum(len(m["content"].split()) for m in messages), len(reply.split()))
        return replace(reply, first=reply.first[:logprobs])

    def _next(self, messages: Messages) -> ScriptedReply:
        if callable(self._replies):
            return self._replies(messages)
        if len(self.calls) > len(self._replies):
            raise ModelError(f"The script has only {len(self._replies)} replies.", remedy="Add one for this call.")
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply


class FakeWebSearch:
    """Test search that finds given results that share a word with the query; most shared words first."""

    def __init__(self, results: Sequence[WebResult] = ()) -> None:
        self.name = "fake"
        self.queries: list[str] = []
        self._results = list(results)

    def search(self, query: str, *, limit: int) -> Sequence[WebResult]:
        """Return at most ``limit`` results."""
        self.queries.append(query)
        asked = set(tokens(query))
        shared = [len(asked & set(tokens(f"{r.title} {r.snippet}"))) for r in self._results]
        order = sorted((-n, i) for i, n in enumerate(shared) if n)
        return [self._results[i] for _, i in order[:limit]]


class FakePageFetcher:
    """Test fetcher that serves the given pages and raises NetworkError for any other URL."""

    def __init__(self, pages: Sequence[WebPage]) -> None:
        self._pages = {p.url: p for p in pages}

    def fetch(self, url: str) -> WebPage:
        """Return the page."""
        if url not in self._pages:
            raise NetworkError(f"{url} is not among the pages given.", remedy="Add it to the fake.")
        return self._pages[url]


class FakeVectorIndex:
    """Exact brute-force vector index for tests."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._vectors: list[Floats] = []

    def add(self, ids: Ids, vectors: Floats) -> None:
        """Add n vectors under n ids."""
        self._ids.extend(np.asarray(ids).tolist())
        self._vectors.extend(np.asarray(vectors, np.float32))

    def search(self, vectors: Floats, k: int) -> tuple[Ids, Floats]:
        """Return the k nearest of each. Missing ones have id -1 and cosine 0."""
        ids, cosines = np.full((len(vectors), k), -1, np.int64), np.zeros((len(vectors), k), np.float32)
        for n, vector in enumerate(vectors):
            best = sorted((-float(v @ vector), i) for i, v in zip(self._ids, self._vectors, strict=True))[:k]
            for at, (negative, i) in enumerate(best):
                ids[n, at], cosines[n, at] = i, -negative
        return ids, cosines

    def within(self, vectors: Floats, gamma: float) -> list[tuple[Ids, Floats]]:
        """Return for each vector all ids with cosine ≥ gamma, in ascending order."""
        out = []
        for vector in vectors:
            near = sorted((i, float(v @ vector)) for i, v in zip(self._ids, self._vectors, strict=True))
            near = [(i, cosine) for i, cosine in near if cosine >= gamma]
            out.append((np.array([i for i, _ in near], np.int64), np.array([c for _, c in near], np.float32)))
        return out


class FakeExtractor:
    """Test extractor that relates each mention to the next by the words between them."""

    def paths(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> Sequence[tuple[int, str, int]]:
        """Return (node, words between, node) of neighbouring mentions, in order."""
        ordered = sorted(mentions)
        return [(a[2], sentence[a[1] : b[0]].strip(), b[2]) for a, b in pairwise(ordered)]

    def relations(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> Sequence[Relation]:
        """Return the same paths as relations with spans, all with full confidence."""
        ordered = sorted(mentions)
        return [Relation(a[2], sentence[a[1] : b[0]].strip(), b[2], a[0], b[1], 1.0) for a, b in pairwise(ordered)]


class FakeTraceStore:
    """Test store that keeps answers in a list."""

    def __init__(self) -> None:
        self.answers: list[Mapping[str, Any]] = []

    def save(self, answer: Mapping[str, Any]) -> None:
        self.answers.append(answer)

    def get(self, key: str = "") -> Mapping[str, Any]:
        """Return one kept answer by id or unique prefix, or the newest for "". Raise NotFoundError."""
        found = [a for a in self.answers if str(a["id"]).startswith(key)] if key else self.answers[-1:]
        if len(found) != 1:
            raise NotFoundError(
                f"{len(found)} stored answers have an id that starts with {key!r}.", remedy="List them and choose one."
            )
        return found[0]

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        """Return the newest kept answers: id, question, answer text, verdict, date."""
        shown = ("id", "question", "answer_text", "verdict", "date")
        return [{k: a.get(k, "") for k in shown} for a in self.answers[::-1][:limit]]

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        """Return where answers' own paths used something from a source."""
        return [
            {"question": a["id"], "exploration": -1, "fact": f["fact"], "entity": h["object"]["id"]}
            for a in self.answers
            for p in a["paths"]
            if p["kept"]
            for h in p["hops"]
            for f in h["sources"]
            if f["source"] == source
        ]

"""Stand-ins for every port, for your tests and ours: small, deterministic, obviously correct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hydra_kg.fakes.models import (
    FakeEmbedder,
    FakeExtractor,
    FakeLanguageModel,
    FakePageFetcher,
    FakeTraceStore,
    FakeVectorIndex,
    FakeWebSearch,
)
from hydra_kg.fakes.snapshot import FakeSnapshot
from hydra_kg.fakes.store import FakeStore

__all__ = [
    "FakeEmbedder",
    "FakeExtractor",
    "FakeLanguageModel",
    "FakePageFetcher",
    "FakeSnapshot",
    "FakeStore",
    "FakeTraceStore",
    "FakeVectorIndex",
    "FakeWebSearch",
]

if TYPE_CHECKING:
    from hydra_kg import ports

    _store: ports.Store = FakeStore()
    _snapshot: ports.Snapshot = FakeSnapshot([])
    _embedder: ports.Embedder = FakeEmbedder()
    _model: ports.LanguageModel = FakeLanguageModel()
    _search: ports.WebSearch = FakeWebSearch()
    _fetcher: ports.PageFetcher = FakePageFetcher([])
    _index: ports.VectorIndex = FakeVectorIndex()
    _extractor: ports.Extractor = FakeExtractor()
    _traces: ports.TraceStore = FakeTraceStore()

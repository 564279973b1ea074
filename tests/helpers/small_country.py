"""Fixtures for files that import them: ``store``, a small country, and ``embedder``, with which most tests ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.samples.scripted import country

from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.ports import Embedder, Store
from hydra_kg.stores.embedded.store import EmbeddedStore


@pytest.fixture(name="embedder", scope="module")
def cached_embedder() -> Embedder:
    """The embedder that comes with the package; what it embedded once it keeps."""
    return CachedEmbedder(make_embedder())


@pytest.fixture(name="store", scope="module")
def country_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Freedonia, its leader and its neighbour, and texts about them."""
    with EmbeddedStore(tmp_path_factory.mktemp("country")) as made:
        country(made)
        yield made

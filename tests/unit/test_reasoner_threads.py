"""A process that asks multiplies matrices in one thread."""

from __future__ import annotations

import numpy  # noqa: F401  (whose linear algebra is limited)
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from hydra_kg.fakes import FakeEmbedder, FakeStore
from hydra_kg.reasoner import Reasoner


def threads() -> set[int]:
    """Threads of the linear algebra here; that of FAISS is built on OpenMP and limited by its own setting."""
    pools = ThreadpoolController().select(user_api="blas").info()
    return {pool["num_threads"] for pool in pools if pool.get("threading_layer") != "openmp"}


def test_a_reasoner_leaves_numpy_one_thread():
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("the linear algebra of this numpy cannot be given two threads, so there is nothing to limit")
        Reasoner(FakeStore(), embedder=FakeEmbedder())
        assert threads() == {1}

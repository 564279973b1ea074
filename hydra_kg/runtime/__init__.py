"""Build from settings what questions need: the agent with its model and budget, the embedder and the web."""

from __future__ import annotations

from hydra_kg.runtime.judges import Judge, Tools, make_cached_embedder, reranker

__all__ = ["Judge", "Tools", "make_cached_embedder", "reranker"]

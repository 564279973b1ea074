"""What questions are asked with, wired from settings: agent with its model and budget, embedder, web."""

from __future__ import annotations

from hydra_kg.runtime.judges import Judge, Tools, cached_embedder, reranker

__all__ = ["Judge", "Tools", "cached_embedder", "reranker"]

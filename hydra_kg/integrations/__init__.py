"""Retrievers for other frameworks: thin classes over one function. Each imports its framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

_HOMES = {
    "GraphRetriever": "retrieval",
    "HaystackRetriever": "for_haystack",
    "LangChainRetriever": "for_langchain",
    "LlamaIndexRetriever": "for_llama_index",
    "Neo4jGraphRagRetriever": "for_neo4j_graphrag",
    "RetrievedItem": "retrieval",
    "RetrievedItems": "retrieval",
    "retrieve": "retrieval",
}

__all__ = [
    "GraphRetriever",
    "HaystackRetriever",
    "LangChainRetriever",
    "LlamaIndexRetriever",
    "Neo4jGraphRagRetriever",
    "RetrievedItem",
    "RetrievedItems",
    "retrieve",
]

if TYPE_CHECKING:
    from hydra_kg.integrations.for_haystack import HaystackRetriever
    from hydra_kg.integrations.for_langchain import LangChainRetriever
    from hydra_kg.integrations.for_llama_index import LlamaIndexRetriever
    from hydra_kg.integrations.for_neo4j_graphrag import Neo4jGraphRagRetriever
    from hydra_kg.integrations.retrieval import GraphRetriever, RetrievedItem, RetrievedItems, retrieve


def __getattr__(name: str) -> Any:
    if (home := _HOMES.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value

"""LlamaIndex ``BaseRetriever`` whose nodes are the evidence of an answer."""

from __future__ import annotations

from typing import Any

from hydra_kg.errors import UsageError
from hydra_kg.integrations.retrieval import GraphRetriever, RetrievedItems

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as e:
    raise UsageError("LlamaIndex is not installed.", remedy="pip install 'hydra-kg[llama-index]'") from e

SHOWN = ("verdict", "sources", "citations")
"""Metadata that a language model sees with the text. The rest is for programs."""


class LlamaIndexRetriever(BaseRetriever):
    """A LlamaIndex retriever that answers questions from a store.

    Make it with ``LlamaIndexRetriever(hydra=…)`` or ``LlamaIndexRetriever(store="my-store")``. Further arguments are
    those of :class:`hydra_kg.integrations.GraphRetriever`. ``retrieve`` and ``aretrieve`` ask a question.
    """

    def __init__(self, hydra: Any = None, *, store: str = "", callback_manager: Any = None, **choices: Any) -> None:
        self.graph = GraphRetriever(hydra if hydra is not None else store, **choices)
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self.graph.retrieve(query_bundle.query_str))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(await self.graph.aretrieve(query_bundle.query_str))


def _nodes(found: RetrievedItems) -> list[NodeWithScore]:
    """Return retrieved items as nodes of LlamaIndex."""
    nodes = []
    for item in found.items:
        about = found.metadata(item)
        unseen = [name for name in about if name not in SHOWN]
        node = TextNode(
            id_=item.id,
            text=item.text,
            metadata=about,
            excluded_llm_metadata_keys=unseen,
            excluded_embed_metadata_keys=list(about),
        )
        nodes.append(NodeWithScore(node=node, score=item.score))
    return nodes

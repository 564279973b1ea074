"""LangChain ``BaseRetriever`` whose documents are the evidence of an answer."""

from __future__ import annotations

from typing import Any

from hydra_kg.errors import UsageError
from hydra_kg.integrations.retrieval import GraphRetriever, RetrievedItems

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as e:
    raise UsageError("LangChain is not installed.", remedy="pip install 'hydra-kg[langchain]'") from e


class LangChainRetriever(BaseRetriever):
    """A LangChain retriever that answers questions from a store.

    Make it with ``LangChainRetriever(hydra=…)`` or ``LangChainRetriever(store="my-store")``. Further arguments are
    those of :class:`hydra_kg.integrations.GraphRetriever`. ``invoke``, ``batch`` and their asynchronous forms ask a
    question. Each document has the text, with the score, sources, citations and answer as metadata.
    """

    graph: GraphRetriever

    def __init__(self, hydra: Any = None, *, store: str = "", **choices: Any) -> None:
        base = {name: choices.pop(name) for name in ("name", "tags", "metadata") if name in choices}
        super().__init__(graph=GraphRetriever(hydra if hydra is not None else store, **choices), **base)

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return _documents(self.graph.retrieve(query))

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return _documents(await self.graph.aretrieve(query))


def _documents(found: RetrievedItems) -> list[Document]:
    return [
        Document(page_content=item.text, id=item.id, metadata=found.metadata(item) | {"score": item.score})
        for item in found.items
    ]

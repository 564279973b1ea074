"""Haystack component whose documents are the evidence of an answer."""

from __future__ import annotations

from typing import Any

from hydra_kg.errors import UsageError
from hydra_kg.integrations.retrieval import GraphRetriever, RetrievedItems

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as e:
    raise UsageError("Haystack is not installed.", remedy="pip install 'hydra-kg[haystack]'") from e


@component
class HaystackRetriever:
    """A Haystack component that answers questions from a store.

    Make it with ``HaystackRetriever(store="my-store")`` or ``HaystackRetriever(hydra=…)``. Only the first form can be
    written to YAML in a pipeline. Further arguments are those of :class:`hydra_kg.integrations.GraphRetriever`. It
    outputs ``documents`` and ``answer``: id, text, verdict, confidence.
    """

    def __init__(self, store: str = "", *, hydra: Any = None, **choices: Any) -> None:
        self._store, self._choices, self._named = store, choices, hydra is None
        self.graph = GraphRetriever(hydra if hydra is not None else store, **choices)

    @component.output_types(documents=list[Document], answer=dict[str, Any])
    def run(self, query: str, top_k: int | None = None) -> dict[str, Any]:
        """Ask the question. Return at most ``top_k`` documents, by default the retriever's limit."""
        return _to_haystack(self.graph.retrieve(query, limit=top_k))

    @component.output_types(documents=list[Document], answer=dict[str, Any])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, Any]:
        """Return the same as :meth:`run` for an asynchronous pipeline."""
        return _to_haystack(await self.graph.aretrieve(query, limit=top_k))

    def to_dict(self) -> dict[str, Any]:
        """Return the form in which a pipeline is written.

        Raises UsageError for an open Hydra, which cannot be written.
        """
        if not self._named:
            raise UsageError("A retriever over an open Hydra cannot be written.", remedy="Give store=… in its place.")
        document: dict[str, Any] = default_to_dict(self, store=self._store, **self._choices)
        return document

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """Return the retriever that :meth:`to_dict` wrote."""
        return default_from_dict(cls, data)


def _to_haystack(found: RetrievedItems) -> dict[str, Any]:
    documents = [
        Document(id=item.id, content=item.text, meta=found.metadata(item), score=item.score) for item in found.items
    ]
    return {"documents": documents, "answer": found.about()}

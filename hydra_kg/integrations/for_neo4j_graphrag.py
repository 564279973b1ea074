"""neo4j-graphrag ``Retriever`` whose items are the evidence of an answer, over a store in a folder or on Neo4j."""

from __future__ import annotations

from typing import Any

import neo4j

from hydra_kg.errors import UsageError
from hydra_kg.integrations.retrieval import LIMIT, GraphRetriever

try:
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem
except ImportError as e:
    raise UsageError("neo4j-graphrag is not installed.", remedy="pip install 'hydra-kg[neo4j-graphrag]'") from e


class Neo4jGraphRagRetriever(Retriever):
    """A neo4j-graphrag retriever that answers questions from a store.

    Make it with ``Neo4jGraphRagRetriever(hydra=…)`` or ``Neo4jGraphRagRetriever(store="my-store")``. Further arguments
    are those of :class:`hydra_kg.integrations.GraphRetriever`. ``search(query_text=…, top_k=…)`` asks a question, and
    the metadata of the result has the answer. The neo4j-graphrag package has no asynchronous retrievers.
    """

    VERIFY_NEO4J_VERSION = False

    def __init__(self, hydra: Any = None, *, store: str = "", **choices: Any) -> None:
        # Not the base's own: it looks at the version of a server, and there may be none.
        self.graph = GraphRetriever(hydra if hydra is not None else store, **choices)

    def get_search_results(self, query_text: str, top_k: int = LIMIT) -> RawSearchResult:
        """Ask a question in plain language over several knowledge sources.

        Args:
            query_text (str): the question.
            top_k (int): items to give at most.
        """
        found = self.graph.retrieve(query_text, limit=top_k)
        records = [
            _record({"text": item.text, "metadata": found.metadata(item) | {"id": item.id, "score": item.score}})
            for item in found.items
        ]
        return RawSearchResult(records=records, metadata=found.about())

    def default_record_formatter(self, record: neo4j.Record) -> RetrieverResultItem:
        """Return the text of an item with its metadata."""
        return RetrieverResultItem(content=record["text"], metadata=record["metadata"])


def _record(values: dict[str, Any]) -> neo4j.Record:
    return neo4j.Record(values)  # type: ignore[no-untyped-call]

"""Statistics of sets of claims: sources, entities and claims of each source format (MultiRAG Table I)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hydra_kg.evaluate.fusion.claim_sets import SetFiles, read_queries, rows_of


def describe_formats(files: SetFiles) -> Iterator[dict[str, Any]]:
    """Yield a row for each format, or one for all sources if formats are unknown; ``relations`` counts claims."""
    counts: dict[str, tuple[set[str], set[str], list[int]]] = {}
    named = {source: name for name, sources in files.rules.formats.items() for source in sources}
    for entity, _, source, _ in rows_of(files.claims, files.rules.left_out, []):
        sources, entities, claims = counts.setdefault(named.get(source, ""), (set(), set(), [0]))
        sources.add(source)
        entities.add(entity)
        claims[0] += 1
    queries = len(read_queries(files.queries))
    for name in sorted(counts, key=[*files.rules.formats, ""].index):
        sources, entities, claims = counts[name]
        yield {
            "set": files.name,
            "format": name,
            "sources": len(sources),
            "entities": len(entities),
            "relations": claims[0],
            "queries": queries,
        }

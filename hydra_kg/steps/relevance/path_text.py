"""h(p) of HydraRAG §4.3 and PoG §4.3: the sentence embedding of a path's text, for graph, text and web alike."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import Path
from hydra_kg.steps.context import Context


def path_text(path: Path) -> str:
    """Return a path in the notation of a skyline indicator: ``Inception - director - Christopher Nolan``."""
    if not path.hops:
        return path.text
    parts = [path.hops[0].subject.name]
    for before, hop in zip((None, *path.hops), path.hops, strict=False):
        if before is not None and before.object.id != hop.subject.id:  # the path goes on from an earlier entity
            parts.append(hop.subject.name)
        parts += [hop.text, hop.object.name]
    return " - ".join(parts)


def embeds_text(context: Context) -> bool:
    """Return True if paths are compared by the embeddings of their texts."""
    return context.settings.relevance.path_vectors == "text"


def text_relevance(context: Context, indicator: str, paths: Sequence[Path]) -> list[float]:
    """Return cos(h(I), h(p)) of each path, at least 0."""
    if not paths:
        return []
    vectors = context.space.embedder.embed([indicator, *map(path_text, paths)])
    return [min(1.0, max(0.0, cosine)) for cosine in (vectors[1:] @ vectors[0]).tolist()]

"""Checks the arrays of a generation against the loads that it was built for."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.stores.embedded.catalog.generation import Generation, LoadMap, PinnedGeneration
from hydra_kg.stores.embedded.segments.array_bounds import (
    check_below,
    check_merged,
    check_offsets,
    check_segment,
    check_set,
    contradiction,
)
from hydra_kg.stores.embedded.segments.format import Segment


def check_pinned(pinned: PinnedGeneration) -> None:
    """Raise StoreCorruptError if arrays of the loads, the merged links or the generation contradict one another."""
    for _, segment in pinned.loads:
        check_segment(segment)
    if pinned.generation.number:
        check_generation(pinned.generation, [segment for _, segment in pinned.loads])


def check_generation(g: Generation, segments: Sequence[Segment]) -> None:
    """Raise StoreCorruptError if a generation, or the merged links that it reads, contradicts itself or its loads."""
    if g.merged is not None:
        check_merged(g.merged)
    total, preds = len(g.classes), len(g.predicates.ids)
    check_set(g.path, "classes", g.classes)
    check_set(g.path, "pred_id", g.predicates.ids)
    check_set(g.path, "multi", g.multi)
    check_below(g.path, "multi", g.multi, total)
    check_offsets(g.path, "multi_off", g.multi_off, len(g.multi_id))
    lengths = {
        "mediator": (len(g.mediator), total),
        "degree": (len(g.degree), total),
        "multi_off": (len(g.multi_off), len(g.multi) + 1),
        "pred_count": (len(g.predicates.counts), preds),
        "keys": (len(g.predicates.keys), preds),
        "texts": (len(g.predicates.texts), preds),
        "inverse": (len(g.predicates.inverse), preds),
    }
    for name, (found, wanted) in lengths.items():
        if found != wanted:
            raise contradiction(g.path, f"{name} has {found:,} rows instead of {wanted:,}")
    check_below(g.path, "mediator", g.mediator, 2)
    check_below(g.path, "degree", g.degree, 1 << 31)
    check_below(g.path, "pred_count", g.predicates.counts, 1 << 62)
    for one, segment in zip(g.maps, segments, strict=True):
        _check_map(g, one, len(segment.nodes))
    if g.merged is not None and g.merged_map is not None:
        _check_map(g, g.merged_map, len(g.merged.nodes), least=-1)


def _check_map(g: Generation, one: LoadMap, nodes: int, *, least: int = 0) -> None:
    total = len(g.classes)
    if one.to_class is not None:
        check_below(g.path, "class", one.to_class, total, least=least)
    if one.to_local is not None:
        check_below(g.path, "local", one.to_local, nodes, least=-1)
    check_below(g.path, "extra_class", one.extra_class, total)
    check_below(g.path, "extra_local", one.extra_local, nodes)
    check_below(g.path, "pred", one.to_pred, len(g.predicates.ids), least=least)

"""Cuts and answers in a form that is equal where two stores, or two servers, give the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra_kg.domain import Subgraph


def edges(graph: Subgraph) -> list[tuple[object, ...]]:
    """Edges of a cut in an order of their own."""
    columns = (graph.level, graph.ids[graph.src], graph.pred, graph.ids[graph.dst], graph.segment, graph.row)
    return sorted(zip(*(c.tolist() for c in columns), strict=True))


def reached(graph: Subgraph) -> list[tuple[object, ...]]:
    """Nodes of a cut with depth, mediator flag and degree."""
    at = graph.nodes
    columns = (graph.ids[at], graph.depth, graph.mediator[at], graph.degree[at])
    return list(zip(*(c.tolist() for c in columns), strict=True))


def plain(answer: Mapping[str, Any]) -> dict[str, Any]:
    """``ask --json`` without what no two runs share: id, seconds, the checksums of the loads."""
    doc = {k: v for k, v in answer.items() if k not in ("id", "seconds", "created")}
    doc["manifest"] = {**doc["manifest"], "loads": [{**x, "checksum": ""} for x in doc["manifest"]["loads"]]}
    doc["explorations"] = [{k: v for k, v in e.items() if k != "seconds"} for e in doc["explorations"]]
    for e in doc["explorations"]:  # what a budget left out is counted as far as it is known: a server does not walk on
        e["counts"] = {k: v for k, v in e["counts"].items() if k != "left_out"}
    return doc

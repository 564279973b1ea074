"""Turn the explored graph of one answer into nodes and edges to draw: topics, answers and what is between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hydra_kg.phrases import arrow, relation_of
from hydra_kg.text.plain_text import clean

Doc = Mapping[str, Any]

MOST_EDGES = 160
"""Most edges that are drawn, since more cannot be read. Kept paths come first, then pruned ones by rank."""

COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#8F7700", "#6A3D9A")
"""Colours of sources, repeated in the order of their names; colour-blind people can tell them apart (Okabe and Ito)."""

WIDEST = 8.0
"""Width in pixels of the edge from a fully trusted source to its claim."""


def drawing(doc: Doc) -> dict[str, Any]:
    """Return the drawing of an answer's JSON.

    - ``nodes``: id, label, role, tip, x, y. The roles are ``topic``, ``answer``, ``other`` and ``text`` (a passage).
    - ``edges``: id, source, target, label, kept, own, tip. ``own`` says that it is on one of the answer's own paths.
    - ``left_out``: number of edges that are not drawn

    ``tip`` is what hovering shows: ids, and the sources of every fact behind an edge. Positions are a start: columns by
    distance from the topics. If sources were judged, each is a node of the role ``source`` with an edge to its claim:
    ``colour`` is the source's, and ``width`` grows with its confidence (MultiRAG Eq. 9).
    """
    topics = {t["id"] for x in doc["explorations"] for t in x["topics"]}
    topics |= {m["chosen"]["id"] for m in doc["mentions"] if m["chosen"]}
    answers = {i for a in doc["answers"] for i in (a["id"], *a["ids"]) if i}
    nodes: dict[str, dict[str, Any]] = {}
    edges: dict[tuple[str, str, str], dict[str, Any]] = {}
    left_out = 0
    for own, path in _paths(doc):
        wanted = list(_edges(path))
        if len(edges) + sum(k not in edges for k, *_ in wanted) > MOST_EDGES and edges:
            left_out += 1
            continue
        for key, ends, label, tip in wanted:
            for node, role in zip(ends, ("other", "text" if not path["hops"] else "other"), strict=True):
                place = nodes.setdefault(node["id"], _node(node, role))
                if node["id"] in answers:
                    place["role"] = "answer"
                elif node["id"] in topics:
                    place["role"] = "topic"
            edge = edges.setdefault(
                key,
                {
                    "id": f"e{len(edges)}",
                    "source": key[0],
                    "target": key[2],
                    "label": _short(label, 40),
                    "kept": False,
                    "own": False,
                    "tip": tip,
                },
            )
            edge["kept"] = edge["kept"] or bool(path["kept"]) or own
            edge["own"] = edge["own"] or own
    for key, source_node, edge in _claims(doc):
        if key[2] in nodes and len(edges) < 2 * MOST_EDGES:
            nodes.setdefault(key[0], {**_node(source_node, "source"), "colour": edge["colour"]})
            edges.setdefault(key, {"id": f"e{len(edges)}", "source": key[0], "target": key[2], **edge})
    _place(nodes, list(edges.values()))
    return {"nodes": list(nodes.values()), "edges": list(edges.values()), "left_out": left_out}


def _paths(doc: Doc) -> Iterator[tuple[bool, Doc]]:
    """Yield the answer's own paths, then all explored ones, kept before pruned, by rank."""
    yield from ((True, p) for p in doc["paths"])
    explored = [p for x in doc["explorations"] for p in x["paths"]]
    yield from ((False, p) for p in sorted(explored, key=lambda p: (not p["kept"], p["rank"])))


def _edges(path: Doc) -> Iterator[tuple[tuple[str, str, str], tuple[Doc, Doc], str, str]]:
    """Yield (key, ends, label, tip) of each hop. A path of text is an edge from its answers to the passage."""
    if not path["hops"]:
        if (passage := path.get("passage")) is not None:
            text = {"id": f"passage {passage['id']}", "name": passage["title"]}
            place = f"{clean(passage['source'])}: {clean(passage['locator'])}"
            tip = f"{place}\n{clean(path.get('sentence') or path['text'])}"
            for answer in path["answers"]:
                yield (answer["id"], "passage", text["id"]), (answer, text), "named in", tip
        return
    for hop in path["hops"]:
        label = clean(relation_of(hop))
        sources = [f"{clean(s['source'])}: {clean(s['locator'])}" for s in hop["sources"]]
        more = len(sources) - 8
        lines = [*sources[:8], *([f"and {more} more"] if more > 0 else [])] or [
            "pruned before its sources were looked up"
        ]
        ends = hop["subject"], hop["object"]
        tip = "\n".join(
            [f"{clean(ends[0]['name'])} {arrow(label)} {clean(ends[1]['name'])}", clean(hop["predicate"]), *lines]
        )
        yield (ends[0]["id"], str(hop["predicate"]), ends[1]["id"]), ends, label, tip


def _claims(doc: Doc) -> Iterator[tuple[tuple[str, str, str], Doc, dict[str, Any]]]:
    """Yield (key, source, edge) of each source's claim about the attribute asked for."""
    claims = [c for x in doc["explorations"] for c in x.get("claims", ())]
    number = {name: n for n, name in enumerate(sorted({c["source"] for c in claims}))}
    for c in claims:
        source_node = {"id": f"source {c['source']}", "name": c["source"]}
        trust = float(c["confidence"] or 0)
        fate = "believed" if c["believed"] else "not believed"
        edge = {
            "label": f"{trust:.2f}",
            "kept": True,
            "own": False,
            "width": round(1 + (WIDEST - 1) * trust, 2),
            "colour": COLOURS[number[c["source"]] % len(COLOURS)],
            "tip": f"{clean(c['source'])} says {clean(c['object']['name'])} "
            f"({clean(c['attribute'])} of {clean(c['subject']['name'])})\nconfidence {trust:.2f}, {fate}",
        }
        yield (source_node["id"], "says", c["object"]["id"]), source_node, edge


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _node(node: Doc, role: str) -> dict[str, Any]:
    name = clean(node["name"]) or clean(node["id"])
    return {"id": node["id"], "label": _short(name, 60), "role": role, "tip": f"{name}\n{clean(node['id'])}"}


def _place(nodes: Mapping[str, dict[str, Any]], edges: list[dict[str, Any]]) -> None:
    """Place nodes in columns by distance from the topics, in order of appearance.

    A little shear separates edges within one column.
    """
    near: dict[str, list[str]] = {}
    for e in edges:
        near.setdefault(e["source"], []).append(e["target"])
        near.setdefault(e["target"], []).append(e["source"])
    start = [k for k, n in nodes.items() if n["role"] == "topic"] or list(nodes)[:1]
    level = dict.fromkeys(start, 0)
    queue = list(start)
    for key in queue:
        for other in near.get(key, ()):
            if other not in level:
                level[other] = level[key] + 1
                queue.append(other)
    heights: dict[int, int] = {}
    for key, node in nodes.items():
        column = level.get(key, 0)
        row = heights[column] = heights.get(column, 0) + 1
        side = (row // 2) * (1 if row % 2 else -1)
        node["x"], node["y"] = 260 * column + 25 * (row % 3), 95 * side + 15 * column

"""Draw the tables of a feed and their references as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hydra_kg.pages.rendering import render_clean

Doc = Mapping[str, Any]
_Part = tuple[str, dict[str, object], str]

MOST: Final = 60
"""Most tables that are drawn, those with most references first."""

_WIDE: Final = 220
_GAP: Final = 120
_LINE: Final = 16
_EDGE: Final = 16
_SHOWN: Final = 8  # columns of a table
_LETTERS: Final = 30


def join_picture(name: str, feed: Doc) -> str:
    """Draw a feed of ``feeds.yaml``: a box per table, an arrow per reference (dashed if doubtful)."""
    references = [(r, True) for r in feed.get("references", ())] + [(r, False) for r in feed.get("doubtful", ())]
    tables = _choose_tables(feed["tables"], [r for r, _ in references])
    boxes, width, height = _places(tables, [r for r, sure in references if sure])
    parts: list[_Part] = []
    for r, sure in references:
        if r["table"] in boxes and r["to"] in boxes:
            parts += _arrow(boxes[r["table"]], boxes[r["to"]], str(r["says"]), sure=sure)
    for table, box in boxes.items():
        parts += _box(table, tables[table], box)
    title = f"{name}: {len(feed['tables'])} tables and {len(feed.get('references', ()))} references"
    return render_clean("plot.svg.j2", {"title": title, "width": width, "height": height, "parts": parts}) + "\n"


def _choose_tables(tables: Mapping[str, Doc], references: Sequence[Doc]) -> dict[str, Doc]:
    named = [end for r in references for end in (r["table"], r["to"])]
    chosen = sorted(tables, key=lambda t: -named.count(t))[:MOST]
    return {name: tables[name] for name in tables if name in chosen}


def _places(tables: Mapping[str, Doc], references: Sequence[Doc]) -> tuple[dict[str, tuple[int, int, int]], int, int]:
    """Return (x, y, height) of each box, and the size of the whole.

    The column of a box depends on the number of references to its table.
    """
    depth = dict.fromkeys(tables, 0)
    for _ in range(len(tables)):  # a circle ends here
        for r in references:
            if r["table"] != r["to"] and r["table"] in depth and r["to"] in depth:
                depth[r["to"]] = min(max(depth[r["to"]], depth[r["table"]] + 1), len(tables) - 1)
    columns = sorted(set(depth.values()))
    boxes = {}
    tallest = 0
    for place, column in enumerate(columns):
        y = _EDGE
        for table in (t for t in tables if depth[t] == column):
            high = _LINE * (2 + len(_lines(tables[table])))
            boxes[table] = (_EDGE + place * (_WIDE + _GAP), y, high)
            y += high + 2 * _LINE
        tallest = max(tallest, y)
    return boxes, 2 * _EDGE + len(columns) * (_WIDE + _GAP) - _GAP, tallest


def _lines(table: Doc) -> list[str]:
    keys, names = table.get("key", ()), table.get("name", ())
    said = [f"{c}: {'key' if c in keys else 'name' if c in names else about['role']}" for c, about in _columns(table)]
    return said[:_SHOWN] + ([f"and {len(said) - _SHOWN} more"] if len(said) > _SHOWN else [])


def _columns(table: Doc) -> list[tuple[str, Doc]]:
    return list(table.get("columns", {}).items())


def _box(name: str, table: Doc, box: tuple[int, int, int]) -> Iterator[_Part]:
    """Yield the frame and the lines of a table; ``box`` is x, y and height in pixels."""
    x, y, high = box
    frame = {"x": x, "y": y, "width": _WIDE, "height": high, "rx": 4, "fill": "#ffffff", "stroke": "#57534e"}
    yield "rect", frame, ""
    text = {"x": x + 8, "font-family": "sans-serif", "font-size": 12}
    head = f"{name} ({table.get('size', 0):,} rows, {table.get('rows', '')})"
    yield "text", {**text, "y": y + _LINE, "font-weight": "bold"}, _short(head)
    for number, line in enumerate(_lines(table), 2):
        yield "text", {**text, "y": y + number * _LINE}, _short(line)


def _arrow(own: tuple[int, int, int], to: tuple[int, int, int], says: str, *, sure: bool) -> Iterator[_Part]:
    right = own[0] < to[0]
    x1, y1 = own[0] + (_WIDE if right else 0), own[1] + own[2] // 2
    x2, y2 = to[0] + (0 if right else _WIDE), to[1] + _LINE
    line: dict[str, object] = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": "#0072B2", "stroke-width": 1.5}
    yield "line", line if sure else {**line, "stroke-dasharray": "5 4", "stroke": "#8F7700"}, ""
    yield "circle", {"cx": x2, "cy": y2, "r": 4, "fill": "#0072B2" if sure else "#8F7700"}, ""
    middle = {"x": (x1 + x2) // 2, "y": (y1 + y2) // 2 - 4, "text-anchor": "middle"}
    yield "text", {**middle, "font-family": "sans-serif", "font-size": 11, "fill": "#1c1917"}, _short(says)


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"

"""Plots as plain SVG without scripts: dots with intervals, and lines; every text from data is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from hydra_kg.pages.rendering import render_template

COLOURS: Final = tuple(
    "#0b6e99 #c2410c #4d7c0f #7e22ce #eab308 #0f766e #be185d #475569 #38bdf8 #78350f #84cc16 #f0abfc".split()
)
_ROW, _LEFT, _WIDTH, _TOP = 22, 230, 420, 26
_AXIS: Final = "#d6d3d1"

Dot = tuple[str, float, float, float]
"""Name, value, and lower and upper end of its interval, in [0, 1]."""

Line = tuple[str, Sequence[tuple[float, float]]]
"""Name, and points (x, y)."""


Part = tuple[str, dict[str, Any], str]
"""An element: its tag, its attributes, and its text."""


def dots(title: str, values: Sequence[Dot]) -> Markup:
    """Return a plot with one row for each value, on an axis from 0 to 100 %."""
    height = _TOP + _ROW * len(values) + 24
    parts = [_text(0, 14, title, bold=True)]
    for tick in range(0, 101, 20):
        x = _LEFT + _WIDTH * tick / 100
        parts += [_line(x, _TOP, x, height - 20), _text(x, height - 6, str(tick), anchor="middle")]
    for i, (name, value, low, high) in enumerate(values):
        y, colour = _TOP + _ROW * i + _ROW / 2, COLOURS[i % len(COLOURS)]
        a, b, x = (_LEFT + _WIDTH * min(1.0, max(0.0, v)) for v in (low, high, value))
        parts += [
            _text(_LEFT - 10, y + 4, _short(name), anchor="end"),
            _line(a, y, b, y, stroke=colour, width=3),
            _circle(x, y, 5, colour),
            _text(_LEFT + _WIDTH + 8, y + 4, f"{100 * value:.1f}"),
        ]
    return _svg(_LEFT + _WIDTH + 60, height, title, parts)


def lines(title: str, series: Sequence[Line], *, across: str, up: str, whole: bool = False) -> Markup:
    """Return a plot of lines, with x from the least to the greatest value and y from 0 to 100 %.

    With ``whole`` the x axis goes from 0 to 1.
    """
    points = [p for _, line in series for p in line]
    if not points:
        return Markup()
    left, right = (0.0, 1.0) if whole else (min(x for x, _ in points), max(x for x, _ in points))
    span = (right - left) or 1.0
    height, bottom, start = 270, 230, 46
    parts = [_text(0, 14, title, bold=True), _text(0, 30, up)]
    for tick in range(0, 101, 25):
        y = bottom - 180 * tick / 100
        parts += [_line(start, y, start + _WIDTH, y), _text(start - 6, y + 4, str(tick), anchor="end")]
    for x in (left, (left + right) / 2, right):
        parts.append(_text(start + _WIDTH * (x - left) / span, bottom + 16, f"{x:.3g}", anchor="middle"))
    parts.append(_text(start + _WIDTH / 2, bottom + 34, across, anchor="middle"))
    for i, (name, line) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        where = [(start + _WIDTH * (x - left) / span, bottom - 180 * min(1.0, max(0.0, y))) for x, y in line]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in where)
        parts.append(("polyline", {"points": drawn, "fill": "none", "stroke": colour, "stroke-width": 2}, ""))
        if len(where) < 12:
            parts += [_circle(x, y, 4, colour) for x, y in where]
        y = 40 + 20 * i
        box = {"x": start + _WIDTH + 16, "y": y - 9, "width": 12, "height": 12, "fill": colour}
        parts += [("rect", box, ""), _text(start + _WIDTH + 34, y + 2, _short(name))]
    return _svg(start + _WIDTH + 260, max(height, 50 + 20 * len(series)), title, parts)


def _svg(width: float, height: float, title: str, parts: Sequence[Part]) -> Markup:
    values = {"width": f"{width:g}", "height": f"{height:g}", "title": title, "parts": parts}
    return Markup(render_template("plot.svg.j2", values))


def _text(x: float, y: float, text: str, *, anchor: str = "start", bold: bool = False) -> Part:
    weight = {"font-weight": 600} if bold else {}
    return "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": 12, "text-anchor": anchor, **weight}, text


def _line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = _AXIS, width: int = 1) -> Part:
    ends = {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    return "line", {**ends, "stroke": stroke, **({"stroke-width": width} if width > 1 else {})}, ""


def _circle(x: float, y: float, r: int, colour: str) -> Part:
    return "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": r, "fill": colour}, ""


def _short(text: str) -> str:
    return text if len(text) <= 34 else text[:33] + "…"

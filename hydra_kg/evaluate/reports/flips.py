"""The HTML page of a comparison: what flipped and why, with both explorations of each question linked."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from hydra_kg.evaluate.reports.comparison import Questions
from hydra_kg.evaluate.reports.page import document
from hydra_kg.evaluate.reports.tables import Table

PATHS = 10
"""Paths of an exploration that are shown."""


def flips_page(doc: Mapping[str, Any], a: Questions, b: Questions, *, names: tuple[str, str]) -> str:
    """``doc``: what ``compare`` gave; the explorations stand at the end of the same page."""
    body, details = list[str](), list[str]()
    for row in doc["rows"]:
        body.append(_differences(row, names).html())
        items = []
        for n, flip in enumerate(row["flips"]):
            key = (row["dataset"], flip["question_id"], flip["sample"])
            place = f"{len(details)}-{n}"
            items.append(_item(flip, place))
            for side, records, name in (("a", a, names[0]), ("b", b, names[1])):
                details.append(_exploration(records[key], f"{side}-{place}", f"{name}: {flip['question']}"))
        body.append(f"<section><h2>What flipped on {_t(row['dataset'])}</h2><ol>{''.join(items)}</ol></section>")
    return document("hydra-kg comparison", "".join(body) + "<h2>Explorations</h2>" + "".join(details))


def _differences(row: Mapping[str, Any], names: tuple[str, str]) -> Table:
    rows = []
    for name, m in row["metrics"].items():
        between = f"{100 * m['low']:+.1f} … {100 * m['high']:+.1f}"
        values = [f"{100 * m[k]:.1f}" for k in "ab"]
        rows.append((name, *values, f"{100 * m['difference']:+.1f}", between, f"{m['p']:.4f}"))
    title = f"{row['dataset']}: {row['n']} questions, {row['won']} won, {row['lost']} lost"
    title += f", McNemar p = {row['mcnemar_p']:.4f}"
    return Table(title, ("metric", *names, "B − A", "95 %", "p"), tuple(rows), "", left=1)


def _item(flip: Mapping[str, Any], place: str) -> str:
    sides = " · ".join(
        f'<a href="#{side}-{place}">{side.upper()}</a> {_t(flip[side])} '
        f'<span class="dim">({_t(flip[f"{side}_why"])})</span>'
        for side in "ab"
    )
    return (
        f"<li><b>{'won' if flip['won'] else 'lost'}</b> {_t(flip['question'])} "
        f'<span class="dim">{_t(flip["question_id"])}, gold: {_t(", ".join(map(str, flip["gold"])))}</span>'
        f"<br>{_t(flip['why'])}<br>{sides}</li>"
    )


def _exploration(record: Mapping[str, Any], place: str, title: str) -> str:
    answers = ", ".join(str(a["name"]) for a in (record.get("answers") or ())[:10]) or "no answer"
    parts = [f"<p>{_t(answers)} · {_t(record.get('verdict', ''))} · confidence {_t(record.get('confidence', ''))}</p>"]
    parts.append(_paths("The answer's paths", record.get("paths") or ()))
    for x in record.get("explorations") or ():
        counts = ", ".join(f"{k} {v}" for k, v in x["counts"].items())
        topics = ", ".join(t["name"] for t in x["topics"])
        head = f"{x['phase']}: {x['indicator']} · topics {topics} · depth {x['depth']} · {counts}"
        parts.append(_paths(head, x["paths"]))
    return f'<article id="{place}"><h3>{_t(title)}</h3>{"".join(parts)}</article>'


def _paths(title: str, paths: Sequence[Mapping[str, Any]]) -> str:
    rows = "".join(
        f"<li>{_t(p.get('text'))} <span class=dim>{_t(p['scores'].get('cross'))} {_t(p.get('reason', ''))}</span></li>"
        for p in paths[:PATHS]
    )
    return f"<p class=dim>{_t(title)}</p><ol>{rows}</ol>"


def _t(value: object) -> str:
    return html.escape(str(value))

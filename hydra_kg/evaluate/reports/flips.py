"""The HTML page of a comparison: which questions flipped and why, with links to both explorations of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra_kg.evaluate.reports.comparison import Questions
from hydra_kg.evaluate.reports.selective_tables import selective_comparison
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.pages.rendering import render_template

PATHS = 10
"""Largest number of paths of an exploration that are shown."""


def flips_page(doc: Mapping[str, Any], a: Questions, b: Questions, *, names: tuple[str, str]) -> str:
    """Return the page of a comparison, with the explorations at its end. ``doc`` is the result of ``compare``."""
    sets, explorations = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    for row in doc["rows"]:
        flips = []
        for n, flip in enumerate(row["flips"]):
            key = (row["dataset"], flip["question_id"], flip["sample"])
            place = f"{len(explorations)}-{n}"
            flips.append({**flip, "place": place})
            explorations += [
                {"record": records[key], "place": f"{side}-{place}", "title": f"{name}: {flip['question']}"}
                for side, records, name in (("a", a, names[0]), ("b", b, names[1]))
            ]
        tables = [_differences(row, names), selective_comparison(row, names)]
        sets.append({"dataset": row["dataset"], "tables": tables, "flips": flips})
    values = {"title": "hydra-kg comparison", "sets": sets, "explorations": explorations, "most_paths": PATHS}
    return render_template("flips.html.j2", values)


def _differences(row: Mapping[str, Any], names: tuple[str, str]) -> Table:
    rows = []
    for name, m in row["metrics"].items():
        between = f"{100 * m['low']:+.1f} … {100 * m['high']:+.1f}"
        values = [f"{100 * m[k]:.1f}" for k in "ab"]
        rows.append((name, *values, f"{100 * m['difference']:+.1f}", between, f"{m['p']:.4f}"))
    title = f"{row['dataset']}: {row['n']} questions, {row['won']} won, {row['lost']} lost"
    title += f", McNemar p = {row['mcnemar_p']:.4f}"
    return Table(title, ("metric", *names, "B − A", "95 %", "p"), tuple(rows), "", left=1)

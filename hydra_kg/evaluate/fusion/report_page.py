"""The report of ``eval fusion``: tables as Markdown, and one self-contained page with plots."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from statistics import fmean, pstdev
from typing import Any, Final

from markupsafe import Markup

from hydra_kg.evaluate.fusion.stages import KS
from hydra_kg.evaluate.reports.svg import Line, dots, lines
from hydra_kg.evaluate.reports.tables import Table, percent
from hydra_kg.pages.rendering import render_template

Sets = Mapping[str, Any]
_RECALLS: Final = (*(f"recall@{k}" for k in KS), "recall@all")


def tables(sets: Sets) -> list[Table]:
    """Return all tables that have rows; percentages have one decimal."""
    found = [_methods(sets), _conflict(sets), _copies(sets), _filters(sets), _ablations(sets), _formats(sets)]
    found += [*_curves(sets)]
    return [t for t in found if t.rows]


def page(sets: Sets, manifest: Mapping[str, Any]) -> str:
    """Return the page, with each plot below the table that it shows."""
    first, *rest = tables(sets) or [_methods(sets)]
    plots = dict(_plots(sets))
    drawn = [(first, [*_dots(sets)]), *((t, plots.get(t.title, [])) for t in rest)]
    values = {
        "title": "hydra-kg: fusion of conflicting sources",
        "drawn": drawn,
        "manifest": json.dumps(manifest, indent=1),
    }
    return render_template("fusion.html.j2", values)


def _methods(sets: Sets) -> Table:
    """Return the table of all methods on all sets."""
    rows = []
    for name, own in sets.items():
        for r in own["methods"]:
            d = r["minus vote"]
            shares = (percent(r[k]) for k in ("answered", "precision", "recall", "f1", "macro_f1"))
            less = f"{100 * d['difference']:+.1f} ({100 * d['low']:+.1f} … {100 * d['high']:+.1f})" if d else ""
            sure = f"{r['auroc']:.2f}" if "auroc" in r else ""
            times = f"{r['seconds']:.2f}", f"{own['reading']:.2f}" if "reading" in own else ""
            rows.append((name, r["method"], str(int(r["queries"])), *shares, less, sure, *times))
    head = ("set", "method", "queries", "answered", "P", "R", "F1", "macro F1", "F1 − vote", "AUROC", "QT s", "PT s")
    note = (
        "Strict scores in percent: values one to one, an unanswered query counts. The difference has its 95 % interval "
        "(paired bootstrap over queries). AUROC: of confidences, right values against wrong ones. QT: judging all "
        "groups and answering; PT: reading claims and queries."
    )
    return Table("Methods", head, tuple(rows), note)


def _conflict(sets: Sets) -> Table:
    """Return the table of F1 by the share of contradicting claims."""
    methods = _names(sets, "conflict")
    rows = [
        (name, r["share"], str(r["queries"]), *(percent(r.get(m)) if r["queries"] else "" for m in methods))
        for name, own in sets.items()
        for r in own["conflict"]
    ]
    note = "Share of the statements of a query's most contested group that do not name its commonest value; micro F1."
    return Table("By share of conflict", ("set", "conflict", "queries", *methods), tuple(rows), note)


def _copies(sets: Sets) -> Table:
    rows = tuple((name, " = ".join(group)) for name, own in sets.items() for group in own["copies"])
    note = "Sources that hardly ever differ, mistakes included. They were detected, not given."
    return Table("Groups of copies", ("set", "sources"), rows, note)


def _filters(sets: Sets) -> Table:
    """Return the table of what passes each stage of filtering: recall, values and F1."""
    rows = [
        (
            name,
            r["stage"],
            r["Eq. 5"],
            *(percent(r[k]) for k in _RECALLS),
            f"{r['values']:.1f}",
            percent(r["answered"]),
            percent(r["f1"]),
        )
        for name, own in sets.items()
        for r in own["filters"]
    ]
    note = (
        "Gold values among the first K candidates, before any filter (groups) and after each of MKLGP's, graphs "
        "filtered at ½; values: candidates a query; F1 of what is left as the answer."
    )
    head = ("set", "after", "Eq. 5", *(k.replace("recall@", "R@") for k in _RECALLS), "values", "answered", "F1")
    return Table("Recall before and after each filter", head, tuple(rows), note, left=3)


def _ablations(sets: Sets) -> Table:
    """Return the table of F1 without each part of the method."""
    rows = []
    for name, own in sets.items():
        for r in own["ablations"]:
            cells = [percent(r.get(k)) for k in ("answered", "f1", "shown", "without it")]
            rows.append((name, r["part"], *cells))
    note = (
        "F1 of what passes the filters; shown: as questions are answered, where the best node is shown although none "
        "passed. History is ½ for every source unless something was confirmed: the last row confirms half of the "
        "queries and asks the other half, both ways."
    )
    head = ("set", "MKLGP", "answered", "F1", "F1 shown", "the same without history")
    return Table("Without its parts", head, tuple(rows), note)


def _formats(sets: Sets) -> Table:
    """Return the table of F1 by the formats of the sources."""
    methods = _names(sets, "formats", skip=("formats", "sources", "claims"))
    rows = [
        (name, r["formats"], str(r["sources"]), str(r["claims"]), *(percent(r.get(m)) for m in methods))
        for name, own in sets.items()
        for r in own["formats"]
    ]
    note = "Sources by the format they once came in; micro F1."
    return Table("Mixes of source formats", ("set", "formats", "sources", "claims", *methods), tuple(rows), note)


def _curves(sets: Sets) -> Iterator[Table]:
    """Yield a table for each curve of robustness."""
    for name, own in sets.items():
        points = own["curves"]
        if not points:
            continue
        methods = list(points[0]["f1"])
        start = {m: fmean(points[0]["f1"][m]) for m in methods}
        rows = []
        for p in points:
            values = [(fmean(p["f1"][m]), pstdev(p["f1"][m])) for m in methods]
            levels = (percent(v) + (f" ±{100 * s:.1f}" if p["share"] and own["seeds"] > 1 else "") for v, s in values)
            losses = (
                f"{100 * (v - start[m]):+.1f}" if p["share"] else "" for m, (v, _) in zip(methods, values, strict=True)
            )
            rows.append((p["corruption"], f"{p['share']:.0%}", *levels, *losses))
        thinned = f"; {own['part']:.0%} of the entities that no query asks for take part" if own["part"] < 1 else ""
        note = f"Micro F1 over {own['seeds']} seed(s), mean and standard deviation{thinned}. Δ: against the claims as they are."  # noqa: E501
        yield Table(
            f"{name} under corruption",
            ("corruption", "share", *methods, *(f"Δ {m}" for m in methods)),
            tuple(rows),
            note,
        )


def _dots(sets: Sets) -> Iterator[Markup]:
    for name, own in sets.items():
        if len(own["methods"]) > 1:
            values = [(r["method"], r["f1"], r["f1"], r["f1"]) for r in own["methods"]]
            yield dots(f"Strict micro F1 on {name}, %", values)


def _plots(sets: Sets) -> Iterator[tuple[str, list[Markup]]]:
    """Yield the title of each table with the plots below it."""
    for name, own in sets.items():
        points = own["curves"]
        drawn = []
        for what in dict.fromkeys(p["corruption"] for p in points if p["share"]):
            own_points = [points[0], *(p for p in points if p["corruption"] == what)]
            series: list[Line] = [(m, [(p["share"], fmean(p["f1"][m])) for p in own_points]) for m in points[0]["f1"]]
            drawn.append(lines(f"{name}: {what}", series, across="share of the claims", up="F1, %"))
        yield f"{name} under corruption", drawn


def _names(sets: Sets, part: str, skip: tuple[str, ...] = ("share", "queries")) -> list[str]:
    return list(dict.fromkeys(k for own in sets.values() for r in own[part] for k in r if k not in skip))

"""The HTML page of a report, and that of a comparison: self-contained, no scripts, everything from data escaped."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.result_tables import results
from hydra_kg.evaluate.reports.svg import Dot, Line, dots, lines
from hydra_kg.evaluate.reports.tables import Table

_STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;padding:0 1.5rem;max-width:1700px;color:#1c1917}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin:2.2rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}section>div{overflow-x:auto}
th,td{border-bottom:1px solid #e7e5e4;padding:.25rem .6rem;text-align:right;white-space:nowrap}
th{border-bottom:2px solid #a8a29e;font-weight:600}.w{text-align:left}.note,.dim{color:#57534e;font-size:.88rem}
.note{max-width:75ch}figure{margin:.8rem 0;overflow-x:auto}pre{white-space:pre-wrap;font-size:.8rem;background:#f5f5f4;
padding:.7rem}article{border-left:3px solid #d6d3d1;padding-left:1rem;margin:1rem 0}li{margin:.15rem 0}
nav{font-size:.88rem;max-width:110ch}summary{cursor:pointer;margin:1rem 0}tr.new td{border-top:2px solid #d6d3d1}
"""


def document(title: str, body: str) -> str:
    """A page around ``body``, which is HTML already. Its policy allows no request and no script."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>{html.escape(title)}</title><style>{_STYLE}</style></head>
<body><h1>{html.escape(title)}</h1>
{body}
</body></html>
"""


def page(summary: Mapping[str, Any], shown: Sequence[Table] = ()) -> str:
    """The report: results with plots, every analysis, and what it was made with."""
    first, *rest = shown or [results(summary)]
    best = [r for _, rows in _by_dataset(summary, best=True) for r in rows]
    head = first.html()
    if len(best) < len(summary["rows"]):
        shorter = replace(results({**summary, "rows": best}), title="Results, of what can be answered")
        head = f"{shorter.html()}<details><summary>All parts of each set</summary>{head}</details>"
    plots = "".join(f"<figure>{p}</figure>" for p in [*_results(summary), *_sweeps(summary), *_risks(summary)])
    links = " · ".join(f'<a href="#{t.anchor}">{html.escape(t.title)}</a>' for t in rest)
    body = f"<nav>{links}</nav>" + head + plots + "".join(t.html() for t in rest) + _manifests(summary)
    return document("hydra-kg evaluation", body)


def _results(summary: Mapping[str, Any]) -> Iterable[str]:
    for dataset, rows in _by_dataset(summary, best=True):
        values: list[Dot] = []
        for r in rows:
            m = r["metrics"]["hits1"]
            values.append((label(r["strategy"], r["variant"]), m["mean"], m["low"], m["high"]))
        if len(values) > 1:
            yield dots(f"Hits@1 on {dataset}: {rows[0]['part']}, n = {rows[0]['n']} (%, 95 % interval)", values)


def _sweeps(summary: Mapping[str, Any]) -> Iterable[str]:
    """Hits@1 over each setting that was given several numbers."""
    for dataset, rows in _by_dataset(summary, best=True):
        series: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for r in rows:
            name, sign, value = r["variant"].partition("=")
            if sign and _is_number(value):
                point = (float(value), r["metrics"]["hits1"]["mean"])
                series.setdefault(name, {}).setdefault(r["strategy"], []).append(point)
        if "kg_share" in series:  # the run's own settings are the whole graph
            for r in rows:
                if not r["variant"] and r["strategy"] in series["kg_share"]:
                    series["kg_share"][r["strategy"]].append((1.0, r["metrics"]["hits1"]["mean"]))
        for name, by in series.items():
            drawn: list[Line] = [(s, sorted(points)) for s, points in by.items() if len(points) > 1]
            if drawn:
                yield lines(f"Hits@1 on {dataset} over {name}", drawn, across=name, up="Hits@1, %")


def _risks(summary: Mapping[str, Any]) -> Iterable[str]:
    for dataset, rows in _by_dataset(summary):
        series: list[Line] = [
            (r["strategy"], [(c, k) for c, k in r["calibration"]["curve"]])
            for r in rows
            if not r["variant"] and len(r["calibration"]["curve"]) > 1
        ]
        if series:
            title = f"Risk and coverage on {dataset}: wrong first answers among the most confident share"
            yield lines(title, series, across="coverage of answered questions", up="risk, %", whole=True)


def _by_dataset(summary: Mapping[str, Any], *, best: bool = False) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    """Rows of one part of each set: all questions, or with ``best`` the most honest part that there is."""
    for dataset in dict.fromkeys(r["dataset"] for r in summary["rows"]):
        own = [r for r in summary["rows"] if r["dataset"] == dataset]
        parts = {r["part"] for r in own}
        part = next((p for p in ("gold query runs", "reachable") if p in parts), "all") if best else "all"
        yield dataset, [r for r in own if r["part"] == part]


def _manifests(summary: Mapping[str, Any]) -> str:
    found = summary.get("manifests") or ()
    if not found:
        return ""
    parts = [
        f"<p class=note>{m['answers']} answers:</p><pre>{html.escape(json.dumps(m['manifest'], indent=1))}</pre>"
        for m in found[:40]
    ]
    return f"<section><h2>Made with</h2>{''.join(parts)}</section>"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

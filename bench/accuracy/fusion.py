#!/usr/bin/env python3
"""Truth discovery on the data pack's conflicting sources: every method, strict scores, contested queries, robustness.

    fusion.py DATA [--sets movies,books,…] [--methods vote,…,default] [--curves] [--seeds 3] [--out NAME]
    fusion.py DATA --raw-values     what normalisation of values is worth, into bench/results/fusion_raw_values

DATA is the data pack. Reports go to bench/results/fusion.{md,json}; with --curves also bench/results/fusion_curves.
Every part is its own process, so that peak memory is the part's own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import machine, save
from hydra_kg.evaluate.fusion.claim_sets import files_of, read_set
from hydra_kg.evaluate.fusion.curves import curve
from hydra_kg.evaluate.fusion.method_runs import compare_methods, find_query_groups, judge_set, prepare_set, table
from hydra_kg.evaluate.fusion.score import micro
from hydra_kg.fusion.dependence.copy_detection import CopyDetector
from hydra_kg.fusion.truth_discovery.methods import METHODS, method

BOTH_WAYS = ("vote", "truthfinder", "ltm", "mcc", "mcc-normalised", "default")
"""Methods that are run with normalised values and with raw values."""


def measured(name: str, methods: list[str]) -> dict[str, object]:
    """One set: the table, F1 on contested queries, groups of copies, seconds and memory."""
    start = time.perf_counter()
    data = read_set(name)
    read = time.perf_counter() - start
    start = time.perf_counter()
    queries = find_query_groups(data)
    matched = time.perf_counter() - start
    differ = data.reading.claims.contested  # groups in which the sources disagree
    contested = {one.query.id for one in queries if any(differ[g] for g in one.groups)}
    runs = [judge_set(data, method(m), queries) for m in methods]
    versus = compare_methods(runs) if "vote" in methods else {}
    rows = table(runs, name, versus)
    for row, run in zip(rows, runs, strict=True):
        own = [r for r in run.rows if r.id in contested]
        counts = np.array([(r.right, r.wrong, r.missed) for r in own]).reshape(-1, 3).sum(0)
        row["contested"] = f"{100 * micro(counts.tolist())[2]:.1f} ({len(own)})"
    claims = data.reading.claims
    copies = [[claims.sources[s] for s in group] for group in CopyDetector().find(claims).groups]
    return {
        "rows": rows,
        "copies": copies,
        "raw": {run.method: dict(run.summary) for run in runs},
        "versus": {m: dict(d) for m, d in versus.items()},
        "note": f"{name}: {len(claims)} claims of {len(claims.sources)} sources, {len(claims.keys)} groups, read and "
        f"normalised in {read:.1f} s, {len(queries)} queries matched in {matched:.1f} s, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most; groups of copies: "
        + ("; ".join(" = ".join(group) for group in copies) or "none"),
    }


def curves(name: str, seeds: int, part: float) -> dict[str, object]:
    """F1 under corruption (hydra_kg.evaluate.fusion.curves), a row a point."""
    points = curve(
        files_of(name), seeds=seeds, part=part, listener=lambda p: print(name, p, file=sys.stderr, flush=True)
    )
    rows = [
        {
            "set": name,
            "corruption": p.corruption,
            "share": f"{p.share:.0%}",
            **{
                m: f"{100 * np.mean(v):.1f}" + (f" ±{100 * np.std(v):.1f}" if len(v) > 1 else "")
                for m, v in p.f1.items()
            },
        }
        for p in points
    ]
    thinned = f", on {part:.0%} of the entities that no query asks for" if part < 1 else ""
    return {"rows": rows, "note": f"{name}: {seeds} seed{'s' * (seeds > 1)}{thinned}."}


def raw_values(sets: list[str]) -> None:
    """Run methods on every set with and without normalised values, and save the table."""
    rows = []
    for name in sets:
        both = [prepare_set(name, raw_values=unchanged) for unchanged in (False, True)]
        for title in BOTH_WAYS:
            with_it, without = (judge_set(data, method(title), queries).summary for data, queries, _ in both)
            rows.append(
                {
                    "set": name,
                    "method": title,
                    "queries": int(with_it["queries"]),
                    "F1": f"{100 * with_it['f1']:.1f}",
                    "F1, raw values": f"{100 * without['f1']:.1f}",
                    "Δ": f"{100 * (with_it['f1'] - without['f1']):+.1f}",
                    "lenient F1": f"{100 * with_it['lenient_f1']:.1f}",
                    "lenient F1, raw values": f"{100 * without['lenient_f1']:.1f}",
                }
            )
    save(
        "fusion_raw_values",
        title="Fusion with normalised and with raw values",
        command="bench/accuracy/fusion.py DATA --raw-values",
        about=machine("numpy", "rapidfuzz"),
        notes=[
            "Raw values: methods see values as equal only if their texts are, and a list is one value. Either way the "
            "scorer compares with the gold after normalisation.",
            "F1 is micro and strict; lenient F1 is macro, and also counts a value with more or fewer words than the "
            "gold.",
            "On books MCC equals TruthFinder, so the paper's advance over it is not reproduced there. On flights with "
            "raw values the default is below the vote, and MCC is the best.",
        ],
        rows=rows,
    )


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data", type=Path)
    a.add_argument("--sets", default="movies,books,flights,birthplaces,heritages")
    a.add_argument("--methods", default=",".join(METHODS))
    a.add_argument("--curves", action="store_true")
    a.add_argument("--seeds", type=int, default=3)
    a.add_argument("--part", type=float, default=1.0, help="of a large set: share of the entities not asked for")
    a.add_argument("--out", default="fusion")
    a.add_argument("--raw-values", action="store_true")
    a.add_argument("--one", help=argparse.SUPPRESS)
    o = a.parse_args()
    os.environ["HYDRA_DATA"] = str(o.data)
    if o.one:
        result = curves(o.one, o.seeds, o.part) if o.curves else measured(o.one, o.methods.split(","))
        print(json.dumps(result))
        return
    if o.raw_values:
        raw_values(o.sets.split(","))
        return
    parts = []
    for name in o.sets.split(","):
        command = [
            sys.executable,
            __file__,
            str(o.data),
            "--one",
            name,
            "--methods",
            o.methods,
            "--seeds",
            str(o.seeds),
            "--part",
            str(o.part),
        ]
        done = subprocess.run(
            [*command, *(["--curves"] if o.curves else [])], stdout=subprocess.PIPE, check=True, text=True
        )
        parts.append(json.loads(done.stdout.splitlines()[-1]))
    rows = [row for part in parts for row in part["rows"]]
    notes = [part["note"] for part in parts if "note" in part]
    if o.curves:
        notes.append(
            "Micro F1 in percent, mean and standard deviation over seeds. Mask leaves one claim of each entity and "
            "attribute; add gives a source a second, wrong value; replace overwrites. Shares are nested."
        )
    else:
        notes += [
            "Strict scores in percent (values one to one, an unanswered query counts); 'minus vote' is the difference "
            "of micro F1 with its 95 % interval (paired bootstrap, 2,000 draws of queries); 'contested': micro F1 "
            "(queries) where sources disagree; seconds are of judging all groups, reading apart.",
            "flights is without aa, ua and CO, whose values are the gold.",
            "The form of `default` and its constants were compared on these dev queries (docs/research-log.md): other "
            "queries are the test of it. The share of the best value's voices at which it believes further ones where "
            "several are true is .2; movies and books each suggest it, so either is the check of the other. "
            "`default-copies` is the default without the discount for copies.",
        ]
    save(
        f"{o.out}_curves" if o.curves else o.out,
        title="Fusion under corruption" if o.curves else "Fusion of conflicting sources",
        command="bench/accuracy/fusion.py " + " ".join(["DATA", *sys.argv[2:]]),
        about=machine("numpy", "rapidfuzz", "python-dateutil"),
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()

"""Writes docs/results/strategies.md and .json from finished runs; docs/evaluation.md has the commands that make them.

    python bench/accuracy/strategy_results.py RUNS [--commit TEXT]      from RUNS/main and RUNS/varied
    python bench/accuracy/strategy_results.py --page                    the page again, from the JSON alone

The JSON holds no answers, only the tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT, commit, data, machine
from hydra_kg.evaluate.questions.datasets import read_answerable
from hydra_kg.evaluate.reports.analyses import ANALYSES
from hydra_kg.evaluate.reports.comparison import compare
from hydra_kg.evaluate.reports.report import results, summarise
from hydra_kg.evaluate.reports.retrieval import FILE as RETRIEVAL
from hydra_kg.evaluate.reports.retrieval import lost
from hydra_kg.evaluate.reports.summary import RANKED
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.evaluate.runs.run_records import read_records

PLACE: Final = ROOT / "docs" / "results" / "strategies"
OURS: Final = "hydra"
ANALYSED: Final = ("cwq", "webqsp_test")
"""Sets with gold queries whose questions take several hops: the papers analyse these."""
SHOWN: Final = ("length", "topics", "overlap", "phase", "errors", "cost")
"""Analyses on the page; ``hydra-kg eval analyse`` shows the others of any run."""

Record = Mapping[str, Any]


def shown_rows(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Of each set the rows of one part: gold query runs, else reachable, else all."""
    rows = []
    for dataset in dict.fromkeys(r["dataset"] for r in summary["rows"]):
        own = [r for r in summary["rows"] if r["dataset"] == dataset]
        part = next(p for p in ("gold query runs", "reachable", "all") if any(r["part"] == p for r in own))
        rows += [r for r in own if r["part"] == part]
    return rows


def overview(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Hits@1 of every strategy on every set."""
    cells: dict[str, dict[str, str]] = {}
    most = {d: max(r["n"] for r in rows if r["dataset"] == d) for d in _sets(rows)}
    whole = [r for r in rows if r["n"] == most[r["dataset"]]]
    best = {d: max(r["metrics"]["hits1"]["mean"] for r in whole if r["dataset"] == d) for d in most}
    for r in whole:
        m = r["metrics"]["hits1"]
        text = f"{100 * m['mean']:.1f} [{100 * m['low']:.0f}, {100 * m['high']:.0f}]"
        cells.setdefault(r["strategy"], {})[r["dataset"]] = f"**{text}**" if m["mean"] == best[r["dataset"]] else text
    head = {d: f"{d} ({n})" for d, n in most.items()}
    order = sorted(cells, key=lambda s: (s != OURS, s))
    body = tuple((s, *(cells[s].get(d, "") for d in head)) for s in order)
    small = ", ".join(d for d in head if _answerable(rows, d) < RANKED)
    note = (
        "Hits@1 in percent with its 95 % interval (Wilson); the number of questions stands with the set's name, the "
        "highest value is bold; empty: not asked, or not all of them. Fewer than "
        f"{RANKED} questions known to be answerable, so reported and not ranked: "
        f"{small or 'none'}."
    )
    return Table("Hits@1", ("strategy", *head.values()), body, note, left=1)


def against(records: Iterable[Record], *, by: str = "strategy", base: str = OURS) -> Iterator[tuple[str, ...]]:
    """A row for each set and other strategy (or ``by`` variant): paired differences to the base."""
    ways: dict[str, list[Record]] = {}
    for r in records:
        ways.setdefault(r.get(by) or "", []).append(r)
    whole = len(ways.get(base, ()))
    for name, members in sorted(ways.items()):
        if name == base or (by == "variant" and len(members) < whole):  # a variant that was broken off says nothing
            continue
        for row in compare(members, ways[base])["rows"]:
            cells = []
            for metric in ("hits1", "f1"):
                m = row["metrics"][metric]
                cells += [
                    f"{100 * m['a']:.1f}",
                    f"{100 * m['difference']:+.1f}",
                    f"{100 * m['low']:+.1f} … {100 * m['high']:+.1f}",
                ]
            flips = f"{row['won']} / {row['lost']}"
            yield row["dataset"], name, str(row["n"]), *cells[:3], flips, f"{row['mcnemar_p']:.3f}", *cells[3:]


HEAD: Final = ("n", "Hits@1", "Δ", "95 %", "won / lost", "p", "F1", "Δ F1", "95 %")


def paired(title: str, what: str, rows: Iterable[tuple[str, ...]], note: str) -> Table:
    """Differences to the base, by set."""
    return Table(title, ("data set", what, *HEAD), tuple(sorted(rows, key=lambda r: r[0])), note)


def made(runs: Path) -> Iterator[Table]:
    """All tables that the folders allow."""
    known = read_answerable(data() / "questions" / "answerable.dev.tsv.gz")
    records = list(read_records(runs / "main").values())
    rows = shown_rows(summarise(records, answerable=known))
    yield overview(rows)
    note = f"{OURS} minus the other, over the same questions: paired bootstrap; p of McNemar's exact test on Hits@1."
    yield paired(f"{OURS} against the others", "other", against(records), note)
    yield results({"seed": 0, "rows": rows})
    analysed = [r for r in records if r["dataset"] in ANALYSED]
    for name in SHOWN:
        yield ANALYSES[name](records if name == "errors" else analysed)
    yield ANALYSES["graph"](r for r in analysed if r["strategy"] in {OURS, f"{OURS}-e", "pog", "pog-e"})
    if measured := read_records(runs / "main", must_exist=False, name=RETRIEVAL):
        yield lost(measured.values())
    varied = [r for r in read_records(runs / "varied", must_exist=False).values() if r["strategy"] == OURS]
    note = f"{OURS} under its own settings minus the variant, over the same questions."
    for title, shares in (("Completeness of the graph", True), ("Ablations", False)):
        own = [r for r in varied if not r.get("variant") or shares == str(r["variant"]).startswith("kg_share")]
        yield paired(title, "variant", against(own, by="variant", base=""), note)


def page(doc: Mapping[str, Any]) -> str:
    """The Markdown page of the JSON."""
    facts = " · ".join(f"{k} {v}" for k, v in doc["machine"].items())
    head = [
        "# Strategies compared, offline",
        "",
        f"commit {doc['commit']} · {facts}",
        "",
        "Questions are seeded draws of those that the four slices of the data pack can answer; linking is predicted, "
        "there is no language model and no web. Seconds were taken on a busy machine. The commands are in "
        "[evaluation.md](../evaluation.md#results-in-this-repository). The data pack's sets were open while the "
        "program was written. ToG, PoG, ToG-2 and MultiRAG do not run the default's planner. All answers pass the "
        "default's last checks, which withhold an answer where a condition of the question cannot be checked: with an "
        "earlier version, at ffdf0dc, hydra answered 95.2 % of cwq, 62.8 % right; text-rag now withholds nearly all.",
        "",
    ]
    return "\n".join(head) + "\n" + "\n".join(Table.of_json(t).markdown() for t in doc["tables"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Write page and JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="?")
    parser.add_argument("--commit", default="", help="the commit that was asked; default: of this checkout")
    parser.add_argument("--page", action="store_true", help="make the page from the JSON that is there")
    options = parser.parse_args(arguments)
    place = PLACE.with_suffix(".json")
    if not options.page:
        if options.runs is None:
            parser.error("RUNS is missing")
        tables = [t.to_json() for t in made(options.runs) if t.rows]
        doc = {"commit": options.commit or commit(), "machine": machine("numpy", "onnxruntime"), "tables": tables}
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(doc, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PLACE.with_suffix(".md").write_text(page(json.loads(place.read_text("utf-8"))), "utf-8")


def _sets(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(r["dataset"] for r in rows))


def _answerable(rows: Iterable[Mapping[str, Any]], dataset: str) -> int:
    return next((r["answerable"] or 0 for r in rows if r["dataset"] == dataset), 0)


if __name__ == "__main__":
    main()

"""How well and how fast the offline agent answers: strategies against baselines on questions whose gold query runs.

    python bench/accuracy/ask.py STORE [--limit N] [--jobs J] [--sets webqsp_test,cwq] [--cold 5]

STORE holds freebase.nt.gz, wikidata.nt.gz, fb2w.nt.gz and wikipedia.jsonl.gz of the data pack (``hydra-kg load``).
Linking is predicted. Times are those of a warm process, one question after the other; ``cold`` is the whole command.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import answerable_questions, data, machine, quantile, save
from hydra_kg.evaluate.questions.datasets import read_answerable
from hydra_kg.evaluate.reports.report import summarise
from hydra_kg.evaluate.runs.runner import RunPlan, read_records
from hydra_kg.evaluate.runs.runner import run as run_questions
from hydra_kg.settings import Settings

STRATEGIES = ("hydra", "cosine", "titles")
TARGETS = {"webqsp_test": "≥ 60/48", "cwq": "≥ 42/43"}


def cold(store: Path, times: int) -> list[float]:
    """Seconds of the whole command."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        command = [sys.executable, "-m", "hydra_kg", "ask", "where was barack obama born?", "--store", str(store)]
        subprocess.run(command, capture_output=True, check=True)
        took.append(time.perf_counter() - start)
    return took


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and write bench/results/ask.md and .json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sets", default="webqsp_test,cwq")
    parser.add_argument("--cold", type=int, default=5)
    options = parser.parse_args(arguments)
    known = read_answerable(data() / "questions" / "answerable.dev.tsv.gz")
    questions = []
    for name in options.sets.split(","):
        questions += answerable_questions(name, options.limit)
    store = str(options.store)
    plan = RunPlan(strategies=STRATEGIES, agent="offline", gold_topics=False, settings=Settings(), store=store)
    with tempfile.TemporaryDirectory() as folder:
        run_questions(questions, plan, Path(folder), jobs=options.jobs)
        records = list(read_records(Path(folder)).values())
    report(records, cold(options.store, options.cold), known, options.jobs)


def report(records: list[dict[str, Any]], colds: list[float], known: Any, jobs: int) -> None:
    """The table."""
    rows = []
    for row in summarise(records, answerable=known)["rows"]:
        if row["part"] != "all":
            continue
        mine = [r for r in records if r["dataset"] == row["dataset"] and r["strategy"] == row["strategy"]]
        times = [1e3 * r["seconds"]["total"] for r in mine if "seconds" in r]
        metric = row["metrics"]
        rows.append(
            {
                "set": row["dataset"],
                "strategy": row["strategy"],
                "n": len(mine),
                **{
                    name: " ".join(f"{100 * metric[key][part]:.1f}" for part in ("mean", "low", "high"))
                    for name, key in (
                        ("Hits@1 (95 %)", "hits1"),
                        ("F1 (95 %)", "f1"),
                        ("answered", "answered"),
                        ("paper_match", "paper_match"),
                    )
                },
                "p50 ms": round(quantile(times, 0.5)),
                "p95 ms": round(quantile(times, 0.95)),
                "must reach": TARGETS.get(row["dataset"], "") if row["strategy"] == "hydra" else "",
            }
        )
    notes = [
        "Questions whose gold query runs on the slice; linking predicted; offline agent; all four sources loaded.",
        f"Mean and 95 % bootstrap interval, percent. {jobs} process(es).",
        f"Cold command `hydra-kg ask`: median {quantile(colds, 0.5):.2f} s, worst of {len(colds)}: {max(colds):.2f} s "
        "(must reach 2.5 s). Warm must reach p50 150 ms, p95 600 ms.",
    ]
    about = machine("numpy", "onnxruntime")
    save(
        "ask",
        title="The offline agent: accuracy and time",
        command="python bench/accuracy/ask.py STORE",
        about=about,
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()

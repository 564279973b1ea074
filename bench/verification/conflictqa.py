"""Graph against text: ConflictQA, whose passages or triples were rewritten to contradict; how many are found out.

    python bench/verification/conflictqa.py DATA FOLDER [--settings noncomp_pos,…] [--skip 0] [--limit 200] [--jobs 2]
                                            [--model NAME] [--out NAME]

DATA is the data pack, whose ``conflict/build.py`` makes the graph, passages and questions of a setting; FOLDER keeps
stores and answers, so that a run can go on. ConflictQA's repository states no licence: nothing of it is written into
results but counts. Questions are in the pack's order; right is a first answer of a gold name.

``--model``: a small real one, served on loopback by tests/helpers/servers/small_model.py, reads what the passages
state (``verification.reader`` is model), and everything else is judged offline.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT, machine, quantile, save
from hydra_kg import Hydra
from hydra_kg.evaluate.scoring.statistics import estimate
from hydra_kg.settings import Settings
from hydra_kg.text.folding import fold

sys.path.insert(0, str(ROOT / "tests"))
from helpers.servers.small_model import serving

SETTINGS: Final[Mapping[str, str]] = {
    "noncomp_pos": "texts agree",
    "noncomp_textconf": "texts rewritten",
    "noncomp_tripleconf": "triples rewritten",
    "comp_triplepos": "triples that need a passage before them",
    "comp_textpos": "triples that need a passage after them",
}
_EVERY: Final = 10_000  # rows of a setting, more than there are
Row = dict[str, Any]


def made(setting: str, data: Path, folder: Path) -> tuple[Path, list[Row]]:
    """The store of a setting with all its rows, made where it is not there, and its questions."""
    questions, store = folder / f"{setting}.questions.jsonl", folder / f"{setting}.store"
    if not questions.is_file():
        build = [sys.executable, str(data / "conflict" / "build.py"), str(folder), "--settings", setting]
        subprocess.run([*build, "--limit", str(_EVERY)], check=True, stdout=subprocess.DEVNULL)
    if not store.exists():
        with Hydra(store=store, settings=Settings()) as hydra:
            hydra.load(folder / f"{setting}.nt", folder / f"{setting}.passages.jsonl")
    return store, [json.loads(line) for line in questions.read_text("utf-8").splitlines()]


def answers(settings: Settings, keep: Path, asked: Sequence[Row]) -> list[Row]:
    """What became of each question. ``keep``: a file with a line for each."""
    known: dict[str, Row] = {}
    if keep.is_file():
        known = {row["id"]: row for row in map(json.loads, keep.read_text("utf-8").splitlines())}
    with Hydra(settings=settings, agent="auto" if settings.model.name else "offline") as hydra:
        for question in asked:
            if question["id"] not in known:
                known[question["id"]] = answered(hydra, question)
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known[question["id"]], ensure_ascii=False) + "\n")
    return [known[q["id"]] for q in asked]


def answered(hydra: Hydra, question: Row) -> Row:
    """What became of one question."""
    answer = hydra.ask(question["question"], keep=False)
    gold = {fold(a["name"]) for a in question["answers"]}
    first = fold(answer.answers[0].name) if answer.answers else ""
    return {
        "id": question["id"],
        "answered": bool(first),
        "right": first in gold,
        "verdict": answer.verdict if first else "",
        "seconds": round(answer.seconds["total"], 3),
        "tokens": answer.usage.tokens_in + answer.usage.tokens_out,
        "notes": list(answer.notes),
    }


def counted(setting: str, results: Sequence[Row]) -> Row:
    """A row of the table."""
    given = [r for r in results if r["answered"]]

    def share(rows: Sequence[Row], *verdicts: str) -> str:
        found = [float(r["verdict"] in verdicts if verdicts else r["right"]) for r in rows]
        e = estimate(found)
        return f"{sum(found):.0f} ({100 * e.mean:.1f} %, {100 * e.low:.1f}–{100 * e.high:.1f})"

    return {
        "setting": SETTINGS.get(setting, setting),
        "asked": len(results),
        "answered": len(given),
        "right of the asked": share(results),
        "contested of the answered": share(given, "contested", "contradicted"),
        "supported of the answered": share(given, "supported"),
        "seconds p50": round(quantile([r["seconds"] for r in results], 0.5), 3),
        "tokens p50": round(quantile([r["tokens"] for r in results], 0.5)),
        "with a note": sum(bool(r["notes"]) for r in results),
    }


def main() -> None:
    """Run and write bench/results/conflictqa.md and .json."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data", type=Path)
    a.add_argument("folder", type=Path)
    a.add_argument("--settings", default=",".join(SETTINGS))
    a.add_argument("--skip", type=int, default=0, help="questions that are left out at the beginning")
    a.add_argument("--limit", type=int, default=200, help="questions of each setting, 0 for all")
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--model", default="", help="a small model that reads the passages")
    a.add_argument("--address", default="", help="of a server of that model which runs already")
    a.add_argument("--out", default="conflictqa")
    o = a.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    with ExitStack() as stack:
        change: dict[str, Any] = {}
        if o.model:
            url = o.address or stack.enter_context(serving(o.model)).url
            change = {"model.name": o.model, "model.base_url": url, "model.timeout": 900.0, "agent.reading_only": True}
            change |= {"verification.reader": "model"}
        for setting in o.settings.split(","):
            store, asked = made(setting, o.data, o.folder)
            asked = asked[o.skip :][: o.limit or None]
            work = partial(answers, Settings().changed(store=str(store), **change))
            jobs = 1 if o.model else o.jobs
            keep = [o.folder / f"{setting}.{o.model or 'rules'}.{o.skip}.{i}of{jobs}.jsonl" for i in range(jobs)]
            with get_context("spawn").Pool(jobs) as pool:
                done = pool.starmap(work, [(keep[i], asked[i::jobs]) for i in range(jobs)], chunksize=1)
            rows.append(counted(setting, [r for part in done for r in part]))
            print(rows[-1], flush=True)
    save(
        o.out,
        title="Graph against text: ConflictQA, development part",
        command=" ".join(["python bench/verification/conflictqa.py DATA FOLDER", *sys.argv[3:]]),
        about=machine("numpy", "onnxruntime"),
        notes=("Brackets: percent with the 95 % interval (Wilson).",),
        rows=rows,
    )


if __name__ == "__main__":
    main()

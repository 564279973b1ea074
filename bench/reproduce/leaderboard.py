"""Appends the rows of a finished evaluation run to `leaderboard.tsv`: one row for each set, system and variant.

    python bench/reproduce/leaderboard.py RUN --preset paper [--answerable FILE]
    python bench/reproduce/leaderboard.py pack/runs.toml --store STORE [--answerable FILE]

RUN is the folder of `hydra-kg eval run`, or a file of runs that `record.py` recorded over STORE. docs/reproduce.md
describes the columns.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import commit
from bench.reproduce.fixed_runs import runs
from bench.reproduce.replay import recorded
from bench.reproduce.run_tables import Recorded
from hydra_kg import Hydra
from hydra_kg.evaluate.questions.datasets import read_answerable
from hydra_kg.evaluate.runs.run_records import each_record
from hydra_kg.evaluate.scoring.statistics import estimate
from hydra_kg.serialise import answer_json

BOARD: Final = Path(__file__).resolve().parent / "leaderboard.tsv"
COLUMNS: Final = (
    "set system preset variant model store settings n answerable hits1 hits1_low hits1_high f1 calls tokens commit"
).split()


def board_rows(
    records: Iterable[Mapping[str, Any]],
    *,
    preset: str,
    revision: str,
    answerable: Mapping[tuple[str, str], Any] | None = None,
) -> list[dict[str, str]]:
    """Return a row for each set, system, variant and settings of some records."""
    groups: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = {}
    for r in records:
        key = (Path(r["dataset"]).stem, r["strategy"], r.get("variant") or "", r["settings_hash"])
        groups.setdefault(key, []).append(r)
    found = []
    for (name, system, variant, settings), own in sorted(groups.items()):
        hits, f1 = ([float((r["metrics"] or {}).get(m) or 0) for r in own] for m in ("hits1", "f1"))
        right = estimate(hits)
        spent = [r.get("usage") or {} for r in own]
        able = "" if answerable is None else str(sum(bool(answerable.get((name, r["question_id"]))) for r in own))
        calls = sum(float(u.get("calls") or 0) for u in spent) / len(own)
        tokens = sum(float(u.get("tokens_in") or 0) + float(u.get("tokens_out") or 0) for u in spent) / len(own)
        values = (
            *(name, system, preset, variant, _model(own), store_of(own), settings[:12], str(len(own)), able),
            *(f"{100 * share:.1f}" for share in (right.mean, right.low, right.high, sum(f1) / len(f1))),
            *(f"{calls:.1f}", f"{tokens:.0f}", revision),
        )
        found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def store_of(records: Iterable[Mapping[str, Any]]) -> str:
    """Return twelve hex digits over the loads that answered: their names, sources and checksums."""
    loads = {json.dumps(load, sort_keys=True) for r in records for load in (r.get("manifest") or {}).get("loads") or ()}
    return hashlib.sha256("\n".join(sorted(loads)).encode()).hexdigest()[:12]


def _model(records: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({str((r.get("manifest") or {}).get("model") or "none") for r in records}))


def records_of(found: Iterable[Recorded], *, model: str, loads: object) -> dict[str, list[dict[str, Any]]]:
    """Return recorded answers by preset, in the form that ``board_rows`` reads."""
    records: dict[str, list[dict[str, Any]]] = {}
    for way, row in found:
        preset, _, variant = way.preset.partition("+")
        record = {
            "dataset": way.question.dataset,
            "question_id": way.question.id,
            "strategy": way.system,
            "variant": variant,
            "settings_hash": row["settings"],
            "metrics": row,
            "usage": row,
            "manifest": {"model": model, "loads": loads},
        }
        records.setdefault(preset, []).append(record)
    return records


def main() -> None:
    """Append a run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--preset", default="", help="of a folder of eval run; a file of runs has its own")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--answerable", type=Path)
    args = parser.parse_args()
    known = read_answerable(args.answerable) if args.answerable else None
    able = None if known is None else {key: what.reachable for key, what in known.items()}
    if args.store:
        with Hydra(store=args.store, agent="offline") as hydra:
            loads = answer_json(hydra.ask("?", keep=False))["manifest"]["loads"]
        by_preset = records_of(recorded(args.run), model=runs(args.run)["model"], loads=loads)
    elif args.preset:
        by_preset = {args.preset: [r for _, r in each_record(args.run)]}
    else:
        sys.exit("Say --preset for a folder of eval run, --store for a file of runs.")
    rows = [
        row
        for preset, records in sorted(by_preset.items())
        for row in board_rows(records, preset=preset, revision=commit(), answerable=able)
    ]
    new = not BOARD.is_file()
    with BOARD.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} rows added to {BOARD.name}")


if __name__ == "__main__":
    main()

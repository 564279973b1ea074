"""Repeats the recorded questions without a model, from the cassettes, and says which answers differ.

    python bench/reproduce/replay.py [--runs pack/runs.toml] [--store DIR]

It rebuilds every prompt from the bundled sample, or for the data pack's runs from a store of its four slices, looks its
reply up by hash, and compares answer, verdict, confidence, calls and tokens with `cassettes/answers.jsonl`. It prints
right answers, the worth of variants, and the cost of every step; a difference ends with status 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import table
from bench.reproduce.fixed_runs import (
    RUNS,
    Way,
    asked,
    cassettes_of,
    load_sample,
    rows,
    runs,
    settings_of,
    ways,
    with_question,
)
from bench.reproduce.run_tables import costs, totals, worth_of_variants


def recorded(file: Path = RUNS) -> list[tuple[Way, Mapping[str, Any]]]:
    """Return every recorded way with its row."""
    known = {(r["question"], r["system"], r["preset"]): r for r in rows(cassettes_of(file) / "answers.jsonl")}
    return [(way, known[way.key]) for way in ways(runs(file)) if way.key in known]


def replayed(way: Way, store: Path, *, file: Path = RUNS) -> dict[str, Any]:
    """Ask one question with the recorded replies."""
    settings = settings_of(way, runs(file))
    entries = rows(cassettes_of(file) / f"{way.name}.jsonl")
    for entry in entries:
        if "reply" in entry:
            entry["reply"]["text"] = with_question(entry["reply"]["text"], way.question.text)
    with tempfile.TemporaryDirectory() as folder:
        heard = Path(folder) / "heard.jsonl"
        heard.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
        return asked(way, settings, store, replay=str(heard) if entries else "")


def main() -> None:
    """Replay all, and print what differs and what it cost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--store", type=Path, help="a store of what was asked; without it, the sample is loaded")
    args = parser.parse_args()
    differing, found = 0, []
    with tempfile.TemporaryDirectory() as folder:
        store = args.store or Path(folder) / "store"
        if args.store is None:
            load_sample(store)
        for way, row in recorded(args.runs):
            again = replayed(way, store, file=args.runs)
            found.append((way, again))
            if again != row:
                differing += 1
                changed = sorted(k for k in row if row[k] != again.get(k))
                print(*way.key, "differs:", ", ".join(f"{k} {row[k]!r} → {again.get(k)!r}" for k in changed))
    for rows_of in (totals(found), worth_of_variants(found), costs(row for _, row in found)):
        if rows_of:
            print(table(rows_of))
    print(f"{len(found)} answers replayed, {differing} differ")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()

"""Repeats the recorded questions without a model, from the cassettes, and says which answers differ.

    python bench/reproduce/replay.py [--store DIR]

It rebuilds every prompt from the bundled sample, looks its reply up by hash, and compares answer, verdict, confidence,
calls and tokens with `cassettes/answers.jsonl`. It prints the cost of every step; a difference ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import table
from bench.reproduce.fixed_runs import CASSETTES, Way, asked, load_sample, rows, runs, settings_of, ways


def recorded() -> list[tuple[Way, Mapping[str, Any]]]:
    """Return every recorded way with its row."""
    fixed = runs()
    known = {(r["question"], r["system"], r["preset"]): r for r in rows(CASSETTES / "answers.jsonl")}
    return [(way, known[way.key]) for way in ways(fixed) if way.key in known]


def replayed(way: Way, store: Path) -> dict[str, Any]:
    """Ask one question with the recorded replies."""
    cassette = CASSETTES / f"{way.system}.{way.preset}.jsonl"
    settings = settings_of(way, runs())
    return asked(way, settings, store, replay=str(cassette) if cassette.is_file() else "")


def costs(found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return calls and tokens of each step: means over the questions of a system and preset."""
    sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    asked_of: dict[tuple[str, str], int] = defaultdict(int)
    for row in found:
        asked_of[row["system"], row["preset"]] += 1
        for step, numbers in row["steps"].items():
            own = sums[row["system"], row["preset"], step]
            for place, number in enumerate(numbers):
                own[place] += number
    return [
        {
            "system": system,
            "preset": preset,
            "step": step,
            "questions": asked_of[system, preset],
            **{
                name: round(total / asked_of[system, preset], 1)
                for name, total in zip(("calls", "tokens in", "tokens out"), own, strict=True)
            },
        }
        for (system, preset, step), own in sorted(sums.items())
    ]


def main() -> None:
    """Replay all, and print what differs and what it cost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", type=Path, help="a store of the sample; without it, one is loaded")
    args = parser.parse_args()
    differing, found = 0, []
    with tempfile.TemporaryDirectory() as folder:
        store = args.store or Path(folder) / "store"
        if args.store is None:
            load_sample(store)
        for way, row in recorded():
            again = replayed(way, store)
            found.append(again)
            if again != row:
                differing += 1
                changed = sorted(k for k in row if row[k] != again.get(k))
                print(*way.key, "differs:", ", ".join(f"{k} {row[k]!r} → {again.get(k)!r}" for k in changed))
    print(table(costs(found)))
    print(f"{len(found)} answers replayed, {differing} differ")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()

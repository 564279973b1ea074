"""Asks the fixed questions of every system and preset with a fixed model, and stores all replies as cassettes.

    python bench/reproduce/record.py [--runs runs.toml] [--until 18:00] [--threads 2] [--store DIR] [--again pog.paper]
                                     [--only hydra.default] [--url http://127.0.0.1:8765/v1 --jobs 64]

The model, its hash, the seed, the question ids and the settings are in the file of runs: that of the bundled sample, or
`pack/runs.toml` for sets of the data pack, with a store of its four slices. The same command again goes on where it
stopped; ``--again`` first forgets what is recorded of a system under a preset. ``--url`` names an endpoint that serves
the model already; it is asked as many questions at once as ``--jobs`` says. Beside the file of runs,
`cassettes/SYSTEM.PRESET.jsonl` holds replies by the hash of the request, so no prompt is stored, and
`cassettes/answers.jsonl` the answers. `replay.py` repeats all of it without a model.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from multiprocessing import TimeoutError as TimeIsUp
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT
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
    without_question,
)
from hydra_kg.models.middleware.cassette import hash_request

sys.path.insert(0, str(ROOT / "tests"))
from helpers.servers.small_model import WEIGHTS, serving


def forget(name: str, folder: Path) -> None:
    """Remove the replies and the answers of ``SYSTEM.PRESET``."""
    (folder / f"{name}.jsonl").unlink(missing_ok=True)
    answers = folder / "answers.jsonl"
    others = [row for row in rows(answers) if f"{row['system']}.{row['preset']}" != name]
    answers.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in others), "utf-8")


def recorded(way: Way, *, runs_file: Path, url: str, store: Path) -> tuple[Way, dict[str, Any], list[str], float]:
    """Ask one question; return its way, its row, the lines of its replies, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        heard = Path(folder) / "heard.jsonl"
        begun = time.monotonic()
        try:
            row = asked(way, settings_of(way, runs(runs_file), base_url=url), store, record=str(heard))
        except Exception as e:
            return way, {"error": f"{type(e).__name__}: {e}"}, [], time.monotonic() - begun
        return way, row, [shared(entry, way) for entry in rows(heard)], time.monotonic() - begun


def shared(entry: dict[str, Any], way: Way) -> str:
    """Return a line of a cassette: a recorded call without its prompt, and its reply without the question."""
    if "reply" in entry:
        entry["reply"]["text"] = without_question(entry["reply"]["text"], way.question.text)
    return json.dumps(hash_request(entry), ensure_ascii=False) + "\n"


def main() -> None:
    """Record what is not recorded yet, until a time of day."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--until", default="23:59:59", help="stop at this time of day")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--store", type=Path, help="a store of what is asked; without it, the sample is loaded")
    parser.add_argument("--again", action="append", default=[], metavar="SYSTEM.PRESET", help="record this anew")
    parser.add_argument("--url", default="", help="an endpoint that serves the model")
    parser.add_argument("--jobs", type=int, default=1, help="questions at once")
    parser.add_argument("--only", action="append", metavar="SYSTEM.PRESET", help="record nothing else")
    args = parser.parse_args()
    fixed, folder = runs(args.runs), cassettes_of(args.runs)
    folder.mkdir(exist_ok=True)
    for name in args.again:
        forget(name, folder)
    if WEIGHTS[fixed["model"]].sha256 != fixed["sha256"]:
        sys.exit(f"{fixed['model']} is not the file that {args.runs.name} names: compare the two hashes.")
    answers = folder / "answers.jsonl"
    done = {(r["question"], r["system"], r["preset"]) for r in rows(answers)}
    todo = [way for way in ways(fixed) if way.key not in done and (not args.only or way.name in args.only)]
    with ExitStack() as stack:
        store = args.store or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "store"
        if args.store is None:
            load_sample(store)
        url = args.url
        if not url:
            model = stack.enter_context(serving(fixed["model"], threads=args.threads, context=fixed["context"]))
            url = model.url
        pool = stack.enter_context(get_context("fork").Pool(args.jobs))
        asking = pool.imap_unordered(partial(recorded, runs_file=args.runs, url=url, store=store), todo)
        while (left := seconds_until(args.until)) > 0:
            try:
                way, row, lines, seconds = asking.next(timeout=left)
            except (StopIteration, TimeIsUp):
                break
            if "error" in row:
                print(*way.key, row["error"], flush=True)
                continue
            with (folder / f"{way.name}.jsonl").open("a", encoding="utf-8") as file:
                file.writelines(lines)
            with answers.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(*way.key, f"{row['calls']} calls", f"{seconds:.0f} s", flush=True)


def seconds_until(clock: str) -> float:
    """Return the seconds from now to a time of today, HH:MM or HH:MM:SS."""
    hours, minutes, seconds = (int(part) for part in (*clock.split(":"), "0")[:3])
    now = time.localtime()
    return hours * 3600 + minutes * 60 + seconds - (now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec)


if __name__ == "__main__":
    main()

"""Asks the fixed questions of every system and preset with a fixed model, and stores all replies as cassettes.

    python bench/reproduce/record.py [--until 18:00] [--threads 2] [--store DIR] [--again pog.paper]

The model, its hash, the seed, the question ids and the settings are in `runs.toml`. The same command again goes on
where it stopped; ``--again`` first forgets what is recorded of a system under a preset. `cassettes/SYSTEM.PRESET.jsonl`
holds replies by the hash of the request, so no prompt is stored; `cassettes/answers.jsonl` holds the answers.
`replay.py` repeats all of it without a model.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT
from bench.reproduce.fixed_runs import CASSETTES, asked, load_sample, rows, runs, settings_of, ways
from hydra_kg.models.middleware.cassette import hash_request

sys.path.insert(0, str(ROOT / "tests"))
from helpers.servers.small_model import WEIGHTS, serving


def forget(name: str) -> None:
    """Remove the replies and the answers of ``SYSTEM.PRESET``."""
    (CASSETTES / f"{name}.jsonl").unlink(missing_ok=True)
    answers = CASSETTES / "answers.jsonl"
    others = [row for row in rows(answers) if f"{row['system']}.{row['preset']}" != name]
    answers.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in others), "utf-8")


def main() -> None:
    """Record what is not recorded yet, until a time of day."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--until", default="23:59", help="begin no question after this time of day")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--store", type=Path, help="a store of the sample; without it, one is loaded")
    parser.add_argument("--again", action="append", default=[], metavar="SYSTEM.PRESET", help="record this anew")
    args = parser.parse_args()
    for name in args.again:
        forget(name)
    fixed = runs()
    if WEIGHTS[fixed["model"]].sha256 != fixed["sha256"]:
        sys.exit(f"{fixed['model']} is not the file that runs.toml names: compare the two hashes.")
    CASSETTES.mkdir(exist_ok=True)
    answers = CASSETTES / "answers.jsonl"
    done = {(r["question"], r["system"], r["preset"]) for r in rows(answers)}
    with tempfile.TemporaryDirectory() as folder:
        store = args.store or Path(folder) / "store"
        if args.store is None:
            load_sample(store)
        with serving(fixed["model"], threads=args.threads, context=fixed["context"]) as model:
            for number, way in enumerate(ways(fixed)):
                if way.key in done:
                    continue
                if time.strftime("%H:%M") >= args.until:
                    break
                heard = Path(folder) / f"{number}.jsonl"
                begun = time.monotonic()
                row = asked(way, settings_of(way, fixed, base_url=model.url), store, record=str(heard))
                lines = [json.dumps(hash_request(entry), ensure_ascii=False) for entry in rows(heard)]
                with (CASSETTES / f"{way.system}.{way.preset}.jsonl").open("a", encoding="utf-8") as file:
                    file.writelines(f"{line}\n" for line in lines)
                with answers.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                print(*way.key, f"{row['calls']} calls", f"{time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()

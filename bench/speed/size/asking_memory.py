"""Memory of one process that answers many different questions.

    python bench/speed/size/asking_memory.py STORE [--questions 1000]

STORE holds the slices of the data pack. Questions are those of its development sets, each asked once; of ids that are
kept unread (odd SHA-1), none is asked. Writes bench/results/asking_memory.md and .json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import data, machine, save
from hydra_kg import Hydra
from hydra_kg.errors import HydraError

SETS = ("webqsp_test", "webqsp_train", "cwq", "rubq", "simplequestions_named", "qald7_wikidata", "trex", "zero_shot_re")
SHOWN = (1, 10, 100, 250, 500, 750, 1_000, 2_000, 5_000)


def questions(most: int) -> list[str]:
    """Return up to ``most`` different questions, by turns from each set."""
    found: dict[str, None] = {}
    for name in SETS:
        file = data() / "questions" / "dev" / f"{name}.jsonl"
        for line in file.read_text("utf-8").splitlines() if file.is_file() else ():
            one = json.loads(line)
            if int(hashlib.sha1(one["id"].encode()).hexdigest(), 16) % 2 == 0:
                found.setdefault(one["question"])
    return list(found)[:most]


def megabytes(kind: str) -> int:
    """Return the memory of this process in MB: ``VmRSS`` now, ``VmHWM`` at most, ``RssAnon`` without mapped files."""
    status = Path("/proc/self/status").read_text("ascii")
    found = re.search(rf"^{kind}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) // 1024 if found else 0


def main() -> None:
    """Ask, and write a row at each step of SHOWN."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--questions", type=int, default=1_000)
    options = parser.parse_args()
    asked, rows = questions(options.questions), []
    begun = time.process_time()
    with Hydra(store=options.store, agent="offline") as hydra:
        for number, question in enumerate(asked, 1):
            try:
                hydra.ask(question, keep=False)
            except HydraError as error:
                print(f"{question}: {error}", file=sys.stderr)
            if number in SHOWN or number == len(asked):
                took = round((time.process_time() - begun) / number, 3)
                kinds = {"MB": "VmRSS", "MB without mapped files": "RssAnon", "MB at most": "VmHWM"}
                sizes = {name: megabytes(kind) for name, kind in kinds.items()}
                rows.append({"questions": f"{number:,}", **sizes, "processor s a question": took})
                print(rows[-1], flush=True)
    save(
        "asking_memory",
        title="Memory of a process that answers many different questions",
        command="python bench/speed/size/asking_memory.py STORE",
        about=machine("numpy", "onnxruntime"),
        notes=["All four slices of the data pack in one store; every question is asked once, answers are not saved."],
        rows=rows,
    )


if __name__ == "__main__":
    main()

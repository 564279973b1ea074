"""Dialogues of three and four turns judged by their answers: how many turns are right, wrong or silent, offline.

    python bench/dialogues/dialogue_outcomes.py --demo STORE [--data club] [--show]

``dialogues.jsonl`` has the turns with the values that must all be among the answers. A turn without values is right if
nothing is answered, or if it asks why and the last answer is repeated. The tables of ``club/`` are loaded into a new
store; STORE holds the bundled sample. A later turn follows the answer before it, whatever that was.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg import Hydra
from hydra_kg.answer import Answer
from hydra_kg.text.folding import fold

FOLDER = Path(__file__).resolve().parent


def outcome(answer: Answer, turn: dict[str, Any], before: Answer | None) -> str:
    """Return ``right``, ``wrong`` or ``silent`` for one turn."""
    names = [fold(a.name.replace(",", "")) for a in answer.answers]
    if not turn["answers"]:
        repeated = before is not None and names == [fold(a.name.replace(",", "")) for a in before.answers]
        return "right" if answer.abstained or (repeated and turn["say"].startswith("why")) else "wrong"
    if answer.abstained:
        return "silent"
    return "right" if all(any(fold(value) in name for name in names) for value in turn["answers"]) else "wrong"


def main() -> None:
    """Ask all dialogues and print the counts for each kind of data."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, help="a store of the bundled sample")
    parser.add_argument("--data", default="", help="only the dialogues over club or demo")
    parser.add_argument("--show", action="store_true", help="print every turn that is not right")
    options = parser.parse_args()
    dialogues = [json.loads(line) for line in (FOLDER / "dialogues.jsonl").read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        for data in ("club", "demo"):
            if options.data not in {"", data} or (data == "demo" and options.demo is None):
                continue
            with Hydra(store=options.demo if data == "demo" else Path(folder) / "store") as hydra:
                if data == "club":
                    hydra.load(*sorted((FOLDER / "club").glob("*.csv")), source="club")
                counts = _ask(hydra, [d for d in dialogues if d["data"] == data], show=options.show)
            print(data, sum(counts.values()), dict(counts))


def _ask(hydra: Hydra, dialogues: list[dict[str, Any]], *, show: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for dialogue in dialogues:
        last: Answer | None = None
        for turn in dialogue["turns"]:
            answer = hydra.ask(turn["say"], after=last, agent="offline")
            counts[found := outcome(answer, turn, last)] += 1
            if show and found != "right":
                text = answer.answer_text or answer.missing
                print(f"  {dialogue['id']} {found}: {turn['say']} → {answer.understood_as} → {text}", flush=True)
            last = answer
    return counts


if __name__ == "__main__":
    main()

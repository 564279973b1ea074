"""Ordinary questions over documents or passages: how many are right, wrong or silent, offline.

    python bench/documents/ask_documents.py [--show]
    python bench/documents/ask_documents.py --store STORE [--half first] [--show]

Without a store the files of ``first/`` to ``eleventh/`` are loaded, each folder into a store of its own, and the
questions of ``small.jsonl`` are asked. With one, the questions of ``passages.jsonl`` are asked over it. An answer is
right if one of its values contains an expected one; where none is expected, silence is right.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg import Hydra
from hydra_kg.answer import Answer
from hydra_kg.citations import SURE
from hydra_kg.text.folding import fold

FOLDER = Path(__file__).resolve().parent


def outcome(answer: Answer, expected: list[str]) -> str:
    """Return ``right``, ``wrong`` or ``silent``."""
    if answer.abstained or not expected:
        return "right" if answer.abstained and not expected else "silent" if answer.abstained else "wrong"
    names = [fold(a.name.replace(",", "")) for a in answer.answers]
    return "right" if any(fold(e.replace(",", "")) in name for e in expected for name in names) else "wrong"


def ask(hydra: Hydra, questions: Iterable[dict[str, Any]], *, show: bool) -> Counter[str]:
    """Ask the questions and count the outcomes; ``sure and wrong`` and ``sentence shown`` are counted besides."""
    counts: Counter[str] = Counter()
    for asked in questions:
        answer = hydra.ask(asked["question"], keep=False, agent="offline")
        counts[found := outcome(answer, asked["answers"])] += 1
        counts["sure and wrong"] += found == "wrong" and answer.confidence >= SURE
        counts["sentence shown"] += any(a.name.startswith("“") for a in answer.perhaps)
        if show and found != "right":
            offered = ", ".join(a.name for a in answer.perhaps)
            print(f"  {found}: {asked['question']} → {answer.answer_text or f'perhaps {offered}'}")
    return counts


def main() -> None:
    """Ask and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, help="a store with the passages of passages.jsonl")
    parser.add_argument("--half", default="", help="ask only this half of passages.jsonl")
    parser.add_argument("--show", action="store_true", help="print every question that is not right")
    options = parser.parse_args()
    file = FOLDER / ("passages.jsonl" if options.store else "small.jsonl")
    questions = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    if options.store:
        with Hydra(store=options.store) as hydra:
            chosen = [q for q in questions if options.half in {"", q["half"]}]
            print(dict(ask(hydra, chosen, show=options.show)))
        return
    for name in dict.fromkeys(q["folder"] for q in questions):
        with tempfile.TemporaryDirectory() as folder, Hydra(store=Path(folder) / "store") as hydra:
            hydra.load(*sorted((FOLDER / name).iterdir()), source=name)
            print(name, dict(ask(hydra, [q for q in questions if q["folder"] == name], show=options.show)))


if __name__ == "__main__":
    main()

"""Texts that share a name or contradict one another: 30 questions of ambiguous names, 30 of planted misinformation.

    python bench/documents/score.py [--show]

``texts.jsonl`` is loaded into a new store: two texts for each ambiguous name, and three for each of the others, one of
which states another value. An ambiguous question is right if both values are answered, each with a word that tells its
thing from the other; one with misinformation if the value of two texts comes first and the other is named as a
conflict. Wrong is an answer that names no right value; a right value without the rest is partly right.
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
from hydra_kg.text.folding import fold, tokens

FOLDER = Path(__file__).resolve().parent


def outcome(answer: Answer, asked: dict[str, Any]) -> str:
    """Return ``right``, ``partly``, ``wrong`` or ``silent``."""
    if answer.abstained:
        return "silent"
    names = [fold(a.name.replace(",", "")) for a in answer.answers]
    found = [any(fold(a["answer"].replace(",", "")) in name for name in names) for a in asked["answers"]]
    said = fold(" ".join([answer.answer_text, *answer.dissent]).replace(",", ""))
    if asked["kind"] == "ambiguous":
        words = [set(tokens(fold(a["of"]))) for a in asked["answers"]]
        told = [bool((own - other) & set(tokens(said))) for own, other in (words, words[::-1])]
        return "right" if all(found) and all(told) else "partly" if any(found) else "wrong"
    first = bool(names) and fold(asked["answers"][0]["answer"].replace(",", "")) in names[0]
    named = answer.verdict in {"contested", "contradicted"} and fold(asked["false"].replace(",", "")) in said
    return "right" if first and named else "partly" if any(found) else "wrong"


def main() -> None:
    """Load the texts, ask, and print the counts of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print every question that is not right")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {"ambiguous": Counter(), "misinformation": Counter()}
    with tempfile.TemporaryDirectory() as folder, Hydra(store=Path(folder) / "store") as hydra:
        hydra.load(FOLDER / "texts.jsonl", format="passages", source="texts")
        for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines():
            asked = json.loads(line)
            answer = hydra.ask(asked["question"], keep=False, agent="offline")
            counts[asked["kind"]][found := outcome(answer, asked)] += 1
            if options.show and found != "right":
                print(f"  {asked['id']} {found}: {asked['question']} → {answer.answer_text or answer.missing or '—'}")
    for kind, found in counts.items():
        print(f"{kind}: {sum(found.values())} questions, {dict(found)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Questions that come with their texts (hotpotqa_context100): precision of the answers, recall of the supporting texts.

    contexts.py DATA [--strategies text-rag,hydra,multirag] [--out contexts]

All texts of all questions are one store of passages, from which each question has to find its own (relations are read
from them by rule), with the offline agent. Recall@5: supporting texts among the first five that the answer's evidence
rests on, or that full text finds. Reported, not ranked: 43 questions, other retrieval than the paper's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import machine, save
from hydra_kg import Hydra
from hydra_kg.evaluate.scoring.metrics import is_claim, score
from hydra_kg.evaluate.scoring.statistics import estimate
from hydra_kg.serialise import answer_json
from hydra_kg.settings import Settings

SET = "hotpotqa_context100"
FIRST = 5


def passages(docs: list[dict[str, Any]], path: Path) -> int:
    """Every text of every question once, as JSON lines, with a made-up id of what it is about. Returns how many."""
    texts = {title: "".join(sentences) for doc in docs for title, sentences in doc["context"]}
    docs_of = ({"title": t, "qid": f"Q{10**9 + n}", "text": x} for n, (t, x) in enumerate(sorted(texts.items())))
    lines = map(json.dumps, docs_of)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(texts)


def titles(answer: dict[str, Any]) -> list[str]:
    """Titles of the texts that the evidence rests on, best first, each once."""
    cited = [p["passage"]["title"] for x in answer["explorations"] for p in x["paths"] if p.get("passage")]
    cited = [p["passage"]["title"] for p in answer["paths"] if p.get("passage")] + cited
    return list(dict.fromkeys(cited))


def share(found: list[str], wanted: set[str]) -> float:
    """Recall among the first."""
    return len(wanted & set(found[:FIRST])) / len(wanted)


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data", type=Path)
    a.add_argument("--strategies", default="text-rag,hydra,multirag")
    a.add_argument("--out", default="contexts")
    o = a.parse_args()
    docs = [
        json.loads(line) for line in (o.data / "questions" / "dev" / f"{SET}.jsonl").read_text("utf-8").splitlines()
    ]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        texts = passages(docs, Path(folder) / "contexts.jsonl")
        store = Path(folder) / "store"
        with Hydra(store=store, settings=Settings()) as hydra:
            hydra.load(Path(folder) / "contexts.jsonl", rules={"relations": True})
        with Hydra(store=store, settings=Settings()) as hydra, hydra.store.snapshot() as snapshot:
            found = [[p.title for p in snapshot.passages([], query=d["question"], limit=FIRST)] for d in docs]
        rows.append(_row("full text alone", docs, [], found))
        for name in o.strategies.split(","):
            with Hydra(store=store, settings=Settings(), strategy=name) as hydra:
                answers = [answer_json(hydra.ask(d["question"], keep=False)) for d in docs]
            rows.append(_row(name, docs, answers, [titles(answer) for answer in answers]))
    save(
        o.out,
        title="Questions with their texts",
        command="bench/accuracy/contexts.py DATA",
        about=machine("numpy", "faiss-cpu"),
        rows=rows,
        notes=[
            f"{len(docs)} questions of HotpotQA over {texts} texts; precision: of the answers given, in percent of "
            "all questions; brackets: 95 % interval. MultiRAG reports 59.3 and 62.7 with a language model on 300 "
            "other questions (Table IV)."
        ],
    )


def _row(
    name: str, docs: list[dict[str, Any]], answers: list[dict[str, Any]], found: list[list[str]]
) -> dict[str, str]:
    recall = estimate([share(own, {t for t, _ in d["supporting_facts"]}) for d, own in zip(docs, found, strict=True)])
    row = {"retrieved by": name, "questions": str(len(docs)), f"Recall@{FIRST}": _shown(recall)}
    scores = [score(x, d["answers"]) for x, d in zip(answers, docs, strict=False) if not is_claim(d["answers"])]
    claims = [is_claim(d["answers"]) for d in docs]
    return {
        **row,
        "precision": _shown(estimate([s["precision"] for s in scores])) if scores else "",
        "Hits@1": _shown(estimate([s["hits1"] for s in scores])) if scores else "",
        "yes or no, left out": str(sum(claims)),
    }


def _shown(found: Any) -> str:
    return f"{100 * found.mean:.1f} ({100 * found.low:.1f}–{100 * found.high:.1f})"


if __name__ == "__main__":
    main()

"""Ask the questions of a set offline and say what the product made of each."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.accuracy.answer_outcome import f1, outcome, outcome_of_rows
from bench.behaviour.sets import SLICES, Item, has_only_rows, question_files
from hydra_kg import Hydra
from hydra_kg.errors import HydraError
from hydra_kg.evaluate.scoring.grades import grade
from hydra_kg.serialise import answer_json


def ask_items(items: Iterable[Item], *, work: Path, slices: str) -> Iterator[tuple[Item, dict[str, Any]]]:
    """Yield each question with its answer as JSON; one store per data folder, made in `work` and used again.

    Data that do not load give `{"error": …}`, which counts as silence.
    """
    by_store: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_store[item.store].append(item)
    for store, mine in by_store.items():
        try:
            address = slices if store == SLICES else _load_once(work, store)
        except HydraError as error:
            print(f"not loaded: {store}: {error}", file=sys.stderr)
            yield from ((item, {"error": str(error)}) for item in mine)
            continue
        with Hydra(store=address, agent="offline") as hydra:
            for item in mine:
                yield item, _ask(hydra, item.question["question"])


def _ask(hydra: Hydra, question: str) -> dict[str, Any]:
    try:
        return answer_json(hydra.ask(question, keep=False))
    except HydraError as error:
        return {"error": str(error)}


def _load_once(work: Path, store: str) -> str:
    folder = work / store.replace("/", "-").replace(".", "-")
    if folder.is_dir():
        return str(folder)
    source = question_files(work, store)
    try:
        with Hydra(store=folder) as hydra:
            if source.name == "metaqa.txt":
                hydra.load(source, extra={"map": "subject=entity,relation=attribute,object=link"})
            elif source.is_dir() and not any(source.glob("*.csv")):
                for file in sorted(source.iterdir()):
                    hydra.load(file)
            else:
                hydra.load(source)
    except HydraError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return str(folder)


def describe_result(item: Item, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is recorded of an answer: its judgement, and digests of its plan and answers, but no text."""
    silent = bool(document.get("error") or document.get("abstained") or not document.get("answers"))
    return {
        "set": item.set.name,
        "key": item.key,
        "unread": item.unread,
        "outcome": _judge(item.question, document),
        "f1": round(f1(document, item.question["answers"]), 3),
        "confidence": 0.0 if silent else round(float(document.get("confidence") or 0.0), 3),
        "verdict": "" if silent else document.get("verdict") or "",
        "plan": _digest(document.get("plan") or document.get("steps") or ""),
        "answers": "" if silent else _digest(sorted(_texts(document))),
    }


def _judge(question: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    if document.get("error"):
        return "silent"
    if "expect" in question:
        return grade({**document, "gold": question["answers"], "expected": question})
    gold = [
        {**one, **({"name": _TRUTHS[one["name"]]} if one.get("name") in _TRUTHS else {})} for one in question["answers"]
    ]
    if gold[0].get("name") == _UNKNOWN:
        return "right" if document.get("abstained") or not document.get("answers") else "wrong"
    if has_only_rows(question):
        return outcome_of_rows(document, gold)
    return outcome(document, gold)


_UNKNOWN = "unknown"
_TRUTHS = {"true": "yes", "SUPPORTS": "yes", "false": "no", "REFUTES": "no", "NOT ENOUGH INFO": _UNKNOWN}
"""How sets of claims write what an answer names."""


def _texts(document: Mapping[str, Any]) -> list[str]:
    return [str(one.get("name") or one.get("value")) for one in document.get("answers") or []]


def _digest(value: object) -> str:
    return hashlib.sha1(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:8]

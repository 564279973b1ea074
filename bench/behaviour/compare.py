"""Compare two recordings of `record.py`: what became right, wrong or silent, and where only confidence changed.

    python bench/behaviour/compare.py OLD.jsonl NEW.jsonl [--list] [--detail NEW_DETAIL.jsonl]

``--list`` prints the key of every changed question; with the detail file of the new recording, its text and answers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.citations import SURE
from hydra_kg.evaluate.scoring.statistics import mcnemar

Record = Mapping[str, Any]


def change_of(old: Record, new: Record) -> str:
    """Name the change between two records of one question; empty if nothing changed."""
    if old["outcome"] != new["outcome"]:
        return f"{old['outcome']} -> {new['outcome']}"
    if old["answers"] != new["answers"]:
        return "other answers"
    if (old["confidence"] >= SURE) != (new["confidence"] >= SURE):
        return f"{new['outcome']}: {'now' if new['confidence'] >= SURE else 'no longer'} sure"
    return "confidence or verdict" if _said(old) != _said(new) else ""


def _said(record: Record) -> tuple[object, ...]:
    return record["confidence"], record["verdict"]


def read_records(file: Path) -> dict[str, Record]:
    """Return the records of a file by question."""
    return {r["key"]: r for r in map(json.loads, file.read_text(encoding="utf-8").splitlines())}


def main() -> None:
    """Print the changes of each set, their significance, and the changed questions on demand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--detail", type=Path)
    options = parser.parse_args()
    old, new = read_records(options.old), read_records(options.new)
    changed: dict[str, Counter[str]] = defaultdict(Counter)
    listed: dict[str, str] = {}
    for key in old.keys() & new.keys():
        if change := change_of(old[key], new[key]):
            changed[new[key]["set"]][change] += 1
            listed[key] = change
    for name, counts in sorted(changed.items()):
        pairs = [(old[k]["outcome"], r["outcome"]) for k, r in new.items() if r["set"] == name and k in old]
        lost = sum(a == "right" != b for a, b in pairs)
        won = sum(b == "right" != a for a, b in pairs)
        print(f"{name} ({len(pairs)}): +{won} -{lost} right, p {mcnemar(lost, won):.3f}: {dict(counts.most_common())}")
    if missing := len(old.keys() ^ new.keys()):
        print(f"{missing} questions are in one recording only.")
    for line in _shown(listed, new, options.detail) if options.list else ():
        print(line)


def _shown(listed: Mapping[str, str], new: Mapping[str, Record], detail: Path | None) -> Iterator[str]:
    texts = read_records(detail) if detail else {}
    for key, change in sorted(listed.items(), key=lambda pair: (new[pair[0]]["set"], pair[1])):
        line = f"{new[key]['set']} {key} {change}"
        if key in texts:
            gold = [one.get("name", one.get("value")) for one in texts[key]["question"]["answers"]]
            line += f": {texts[key]['question']['question']} -> {texts[key]['said']['answers']} (gold {gold})"
        yield line


if __name__ == "__main__":
    main()

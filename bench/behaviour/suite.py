"""Ask the committed questions of `tests/behaviour` offline and compare the outcomes with the recorded ones.

    python bench/behaviour/suite.py [--update] [--data films,shop] [--list] [--beside birds|dumps]

Without options, print right, wrong and silent for each form of each data set, the questions that come out differently
in two forms of the same facts, and what changed since the last recording. ``--update`` writes the new outcomes into
the question files. ``--list`` also prints every question that is not right. ``--beside`` loads unrelated data into
the same store first and prints the answers that differ from those without it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.behaviour.suite_data import DATA, QUESTIONS, UNRELATED, write_form, write_unrelated
from hydra_kg import Hydra
from hydra_kg.citations import SURE
from hydra_kg.serialise import answer_json

Question = Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """One question with its outcome: right, wrong or silent, followed by "sure" if the product is sure."""

    question: Question
    outcome: str
    answers: tuple[str, ...]
    confidence: float


def read_questions(data: str) -> list[Question]:
    """Return the questions of a data set."""
    lines = (QUESTIONS / f"{data}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def load_form(data: str, form: str, *, work: Path, beside: Path | None = None) -> Path:
    """Load one form of a data set into a new store, or a copy of the store `beside`, in `work`; return the store."""
    name = f"{data}-{form}" + (f"-next-to-{beside.name}" if beside else "")
    store = work / f"{name}-store"
    if beside:
        shutil.copytree(beside, store)
    with Hydra(store=store, agent="offline") as hydra:
        for file in write_form(data, form, work / name):
            hydra.load(file)
    return store


def load_unrelated(kind: str, work: Path) -> Path:
    """Load data that no question is about into a new store in `work` and return the store."""
    store = work / kind
    with Hydra(store=store, agent="offline") as hydra:
        for file in write_unrelated(kind, work / f"{kind}-files"):
            hydra.load(file)
    return store


def ask_all(store: Path, questions: Sequence[Question]) -> list[Asked]:
    """Ask every question of a store offline and judge the answers."""
    with Hydra(store=store, agent="offline") as hydra:
        return [judge(question, answer_json(hydra.ask(question["question"], keep=False))) for question in questions]


def judge(question: Question, document: Mapping[str, Any]) -> Asked:
    """Compare an answer as JSON with the accepted answers of a question."""
    got = _texts(document)
    wanted = [_plain(a) for a in question["answers"]]
    accepted = [wanted, *([_plain(a)] for a in question.get("also", []))]
    matches = got in accepted if question.get("ordered") else any(_same(got, one) for one in accepted)
    if "rows" in question:
        matches = _has_rows(document.get("table") or {}, question["rows"])
    outcome = "right" if matches else "wrong" if got else "silent"
    confidence = float(document.get("confidence") or 0.0)
    sure = bool(got) and confidence >= SURE
    return Asked(question, f"{outcome} sure" if sure else outcome, tuple(got), round(confidence, 3))


def _has_rows(table: Mapping[str, Any], wanted: Sequence[Sequence[str]]) -> bool:
    """Return True if a table has exactly the wanted rows, in any order."""
    shown = [[_plain(cell) for cell in row] for row in table.get("rows") or []]
    return sorted(shown) == sorted([_plain(cell) for cell in row] for row in wanted)


def _texts(document: Mapping[str, Any]) -> list[str]:
    if document.get("claim") in ("true", "false"):
        return [document["claim"]]
    if document.get("abstained"):
        return []
    return [_plain(a.get("name") or a.get("value")) for a in document.get("answers") or []]


def _plain(text: object) -> str:
    """Return a name, number or truth value without datatype, quotes and final ".0", in lower case.

    Numbers are rounded to three decimal places: `60.7500` and `60.75` are the same answer.
    """
    plain = re.sub(r"\^\^.*$", "", str(text)).strip().strip('"').casefold()
    if re.fullmatch(r"-?\d+\.\d+", plain):
        plain = f"{float(plain):.3f}".rstrip("0").rstrip(".")
    return {"yes": "true", "no": "false"}.get(plain, plain)


def _same(got: Sequence[str], wanted: Sequence[str]) -> bool:
    return set(got) == set(wanted) or (len(got) == len(wanted) == 1 and _close(got[0], wanted[0]))


def _close(a: str, b: str) -> bool:
    try:
        return abs(float(a) - float(b)) <= 1e-3 * max(1.0, abs(float(b)))
    except ValueError:
        return False


def find_regressions(form: str, asked: Sequence[Asked]) -> list[str]:
    """Return one line per question that is newly not right, newly wrong, or newly wrong and sure."""
    lines = []
    for one in asked:
        old = one.question["recorded"].get(form, "not recorded")
        if _is_worse(old, one.outcome):
            said = ", ".join(one.answers)
            lines.append(f"{one.question['id']} {one.question['question']!r}: {old} -> {one.outcome} {said}")
    return lines


def _is_worse(old: str, new: str) -> bool:
    before, now = old.partition(" ")[0], new.partition(" ")[0]
    if before == now:
        return old == "wrong" and new == "wrong sure"
    return now == "wrong" or before in ("right", "not")


def find_differences(by_form: Mapping[str, Sequence[Asked]]) -> list[str]:
    """Return one line per question whose outcome or answers differ between forms of the same facts."""
    lines = []
    for rows in zip(*by_form.values(), strict=True):
        if len({(r.outcome.partition(" ")[0], tuple(sorted(r.answers))) for r in rows}) > 1:
            shown = "; ".join(
                f"{form} {r.outcome} {', '.join(r.answers)}".strip() for form, r in zip(by_form, rows, strict=True)
            )
            lines.append(f"{rows[0].question['id']} {rows[0].question['question']!r}: {shown}")
    return lines


def count_outcomes(asked: Sequence[Asked]) -> dict[str, int]:
    """Return how many answers are right, wrong and silent, and how many are wrong and sure."""
    counts = Counter(one.outcome.partition(" ")[0] for one in asked)
    sure = sum(one.outcome == "wrong sure" for one in asked)
    return {**{name: counts[name] for name in ("right", "wrong", "silent")}, "wrong and sure": sure}


def ask_data(data: str, work: Path) -> dict[str, list[Asked]]:
    """Load every form of a data set and ask its questions."""
    questions = read_questions(data)
    return {form: ask_all(load_form(data, form, work=work), questions) for form in DATA[data]}


def update(data: str, by_form: Mapping[str, Sequence[Asked]]) -> None:
    """Write the outcomes of all forms into the question file."""
    recorded = [{form: rows[n].outcome for form, rows in by_form.items()} for n in range(len(read_questions(data)))]
    lines = [
        json.dumps({**question, "recorded": now}, ensure_ascii=False) + "\n"
        for question, now in zip(read_questions(data), recorded, strict=True)
    ]
    (QUESTIONS / f"{data}.jsonl").write_text("".join(lines), encoding="utf-8")


def describe_changes(by_form: Mapping[str, Sequence[Asked]]) -> Iterator[str]:
    """Yield one line per question whose outcome is not the recorded one, and one per form that is new."""
    for form, rows in by_form.items():
        if not any(form in one.question.get("recorded", {}) for one in rows):
            yield f"  {form}: {len(rows)} questions that were not recorded"
            continue
        for one in rows:
            old = one.question.get("recorded", {}).get(form, "not recorded")
            if old != one.outcome:
                new = one.outcome.partition(" ")[0]
                kind = "confidence only" if old.partition(" ")[0] == new else f"new {new}"
                yield f"  {kind}: {form} {one.question['id']} {one.question['question']!r}: {old} -> {one.outcome}"


def _print_changed_beside(kind: str, names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as work:
        other = load_unrelated(kind, Path(work))
        for data in names:
            for form in DATA[data] if data != "sample" else ():
                questions = read_questions(data)
                alone = ask_all(load_form(data, form, work=Path(work)), questions)
                both = ask_all(load_form(data, form, work=Path(work), beside=other), questions)
                changed = find_differences({"alone": alone, f"next to the {kind}": both})
                print(f"{data}, {form}, next to the {kind}: {len(changed)} of {len(questions)} answers change")
                print("".join(f"  {line}\n" for line in changed), end="")


def main() -> None:
    """Ask, print the totals and changes, and record the outcomes on demand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="record the outcomes")
    parser.add_argument("--data", default=",".join(DATA), help=f"of {', '.join(DATA)}")
    parser.add_argument("--list", action="store_true", help="print every question that is not right")
    parser.add_argument("--beside", choices=UNRELATED, help="print the answers that this unrelated data changes")
    options = parser.parse_args()
    if options.beside:
        _print_changed_beside(options.beside, options.data.split(","))
        return
    for data in options.data.split(","):
        with tempfile.TemporaryDirectory() as work:
            by_form = ask_data(data, Path(work))
        for form, rows in by_form.items():
            print(f"{data}, {form}: {count_outcomes(rows)}")
            for one in rows if options.list else ():
                if not one.outcome.startswith("right"):
                    gold = ", ".join(one.question["answers"]) or "silence"
                    print(
                        f"  {one.question['id']} {one.question['question']!r}: {one.outcome}:"
                        f" {', '.join(one.answers) or '-'} (gold {gold}; {one.confidence})"
                    )
        if len(by_form) > 1:
            different = find_differences(by_form)
            print(f"{data}: {len(different)} of {len(rows)} questions differ between forms")
            print("".join(f"  {line}\n" for line in different), end="")
        print("".join(f"{line}\n" for line in describe_changes(by_form)), end="")
        if options.update:
            update(data, by_form)


if __name__ == "__main__":
    main()

"""Runs question sets through strategies, one JSON line a question, so that every figure can be made again from it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hydra_kg.errors import FormatError, NotFoundError, UsageError
from hydra_kg.evaluate.datasets import Question
from hydra_kg.evaluate.metrics import score
from hydra_kg.evaluate.workers import Ask, Task, ask_all
from hydra_kg.settings import Settings

ANSWERS, RUN = "answers.jsonl", "run.json"

Progress = Callable[[int, int, Mapping[str, Any]], None]
"""Questions done, questions in all, the newest record."""

Key = tuple[str, str, str]
"""(data set, question id, strategy)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What decides the answers of a run; kept in ``run.json``, and equal when a run is taken up again."""

    strategies: tuple[str, ...]
    agent: str
    gold_topics: bool
    settings: Settings
    store: str = ""

    def to_json(self) -> dict[str, Any]:
        """The plan with the settings' hash; the store's address is left out: its manifest is in every answer."""
        settings = json.loads(json.dumps({k: v for k, v in asdict(self.settings).items() if k != "store"}))
        return {
            "version": 1,
            "agent": self.agent,
            "gold_topics": self.gold_topics,
            "settings": settings,
            "settings_hash": self.settings.hash(),
        }


def run(
    questions: Sequence[Question],
    plan: Plan,
    out: Path,
    *,
    jobs: int = 1,
    make: Callable[[str], Ask] | None = None,
    progress: Progress | None = None,
) -> None:
    """Ask every question with every strategy and write ``out/answers.jsonl``; what is there already is not asked
    again, except failed questions.

    ``make`` gives the asker of a strategy (default: a Hydra on the plan's store). Raises UsageError when ``out``
    holds a run with other settings, OSError when it cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    _same_plan(out / RUN, plan)
    done = {k for k, record in read_records(out, must_exist=False, repair=True).items() if not record.get("error")}
    todo = [(s, q) for s in plan.strategies for q in questions if (*q.key, s) not in done]
    total, count = len(questions) * len(plan.strategies), 0
    count = total - len(todo)
    with (out / ANSWERS).open("a", encoding="utf-8", errors="replace") as file:
        for strategy in plan.strategies:
            mine = [q for s, q in todo if s == strategy]
            if not mine:
                continue
            tasks = (Task(i, q.text, q.topics if plan.gold_topics else ()) for i, q in enumerate(mine))
            factory: Callable[[], Ask] = partial(make, strategy) if make else partial(HydraAsk, plan, strategy)
            for number, answer in ask_all(tasks, factory, jobs=min(jobs, len(mine))):
                record = _record(mine[number], strategy, answer)
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                file.flush()
                count += 1
                if progress is not None:
                    progress(count, total, record)


class HydraAsk:
    """The default asker: one Hydra, opened once per process; picklable until it is called."""

    def __init__(self, plan: Plan, strategy: str) -> None:
        from hydra_kg.face import Hydra

        self._hydra = Hydra(store=plan.store, settings=plan.settings, strategy=strategy, agent=plan.agent)
        _ = self._hydra.reasoner  # a store that does not open is said before the first question

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        from hydra_kg.serialise import answer_json

        start = time.perf_counter()
        answer = answer_json(self._hydra.ask(text, topics=topics, keep=False))
        answer["seconds"].setdefault("total", round(time.perf_counter() - start, 4))
        return answer


def read_records(folder: Path, *, must_exist: bool = True, repair: bool = False) -> dict[Key, dict[str, Any]]:
    """The newest record of each (data set, question id, strategy), in the order of the file.

    A last line that a killed run left half is no record; ``repair`` cuts it off, so that the file can be written on
    (and must not be set while a run writes). Raises NotFoundError, FormatError.
    """
    path = folder / ANSWERS
    if not path.is_file():
        if must_exist:
            raise NotFoundError(
                f"{folder} holds no {ANSWERS}.", remedy="Make one: hydra-kg eval run DATASET --out DIR."
            )
        return {}
    records: dict[Key, dict[str, Any]] = {}
    for start, line in _lines(path):
        try:
            record = json.loads(line)
            records[record["dataset"], record["question_id"], record["strategy"]] = record
        except (ValueError, KeyError, TypeError) as e:
            if not line.endswith(b"\n"):
                if repair:
                    with path.open("r+b") as file:
                        file.truncate(start)
                break
            raise FormatError(
                f"{path}: the line at byte {start} is no record of a run ({e}).",
                remedy="Remove the line; its question is asked again.",
            ) from e
    return records


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    start = 0
    with path.open("rb") as file:
        for line in file:
            yield start, line
            start += len(line)


def _record(question: Question, strategy: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        answer = {"version": 1, "question": question.text, **answer}
    return {
        "dataset": question.dataset,
        "question_id": question.id,
        **answer,
        "strategy": strategy,
        "gold": list(question.gold),
        "metrics": score(answer, question.gold),
    }


def _same_plan(path: Path, plan: Plan) -> None:
    mine = plan.to_json()
    if not path.is_file():
        path.write_text(json.dumps(mine, indent=1) + "\n", encoding="utf-8")
        return
    try:
        theirs = json.loads(path.read_text("utf-8"))
    except ValueError:
        theirs = {}
    if theirs != mine:
        old = {**theirs, **(theirs.get("settings") or {})}
        new = {**mine, **mine["settings"]}
        names = sorted(k for k in {*old, *new} - {"settings", "settings_hash"} if old.get(k) != new.get(k))
        raise UsageError(
            f"{path.parent} holds a run with other settings ({', '.join(names) or 'unreadable'}).",
            remedy="Give another folder with --out, or repeat the settings of that run.",
        )

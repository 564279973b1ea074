"""Measurement of retrieval without a model: what is left after each step, and where gold answers get lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.summary import groups_of
from hydra_kg.evaluate.reports.tables import Table, mean, percent, quantile
from hydra_kg.evaluate.runs.run_records import append, read_records, writing
from hydra_kg.evaluate.runs.runner import RunPlan, Setup
from hydra_kg.evaluate.runs.workers import Task, ask_all
from hydra_kg.evaluate.scoring.metrics import score

FILE: Final = "retrieval.jsonl"

STAGES: Final = ("store", "cut", "pool", "kept", "selected", "answers", "first")
"""Places where a gold answer may be.

They are the store, G_q, the ends of the W_1, W_2 and W_max paths, the answers, and the first answer.
"""

Gold = Mapping[tuple[str, tuple[str, ...]], Sequence[Mapping[str, Any]]]


class Watched:
    """Asker with the offline agent that records what is left after each step, and then compares it with gold."""

    def __init__(self, store: str, setup: Setup, gold: Gold) -> None:
        from hydra_kg.client import Hydra

        self._hydra = Hydra(store=store, settings=setup.settings, strategy=setup.strategy, agent="offline")
        self._hydra.reasoner.watch = self._see
        self._gold = gold
        self._seen: dict[str, list[Ids]] = {}

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        """Return the sizes of the stages and which of them have gold.

        ``linked`` are the classes to which the names were linked.
        """
        from hydra_kg.evaluate.questions.answerable import gold_classes
        from hydra_kg.serialise import answer_json

        self._seen = {}
        answer = answer_json(self._hydra.ask(text, topics=topics, keep=False))
        gold = self._gold[text, topics]
        with self._hydra.store.snapshot() as snapshot:
            wanted = gold_classes(snapshot, gold)
        seen = {stage: np.unique(np.concatenate(parts)) for stage, parts in self._seen.items()}
        scores = score(answer, gold)
        holds = {stage: bool(np.isin(wanted, ids).any()) for stage, ids in seen.items()}
        holds |= {"store": bool(len(wanted)), "answers": scores["recall"] > 0, "first": scores["hits1"] == 1}
        return {
            "sizes": {stage: len(ids) for stage, ids in seen.items()},
            "holds": {stage: holds.get(stage, False) for stage in STAGES},
            "linked": [m["chosen"]["id"] for m in answer["mentions"] if m["chosen"]],
            "counts": {x["phase"]: x["counts"] for x in answer["explorations"]},
            "usage": answer["usage"],
        }

    def _see(self, stage: str, ids: Ids) -> None:
        self._seen.setdefault(stage, []).append(np.asarray(ids, np.int64))


def measure(
    questions: Sequence[Question],
    plan: RunPlan,
    out: Path,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Measure the questions with gold that ``out/retrieval.jsonl`` lacks; return all records. Raises StoreBusyError."""
    out.mkdir(parents=True, exist_ok=True)
    with writing(out, FILE) as file:
        done = {k for k, r in read_records(out, must_exist=False, repair=True, name=FILE).items() if not r.get("error")}
        # One asker for each way of asking and set: two sets may hold the same question with different answers.
        ways = [(s, d) for s in plan.setups() for d in dict.fromkeys(q.dataset for q in questions)]
        todo = [
            (i, q)
            for i, (s, d) in enumerate(ways)
            for q in questions
            if q.gold and q.dataset == d and (*q.key, s.strategy, s.settings.hash(), 0) not in done
        ]
        tasks = iter(Task(n, q.text, _topics(q, plan), i) for n, (i, q) in enumerate(todo))
        makes = tuple(
            partial(
                Watched, plan.store, s, {(q.text, _topics(q, plan)): q.gold or () for q in questions if q.dataset == d}
            )
            for s, d in ways
        )
        asked = ask_all(partial(next, tasks, None), makes, jobs=max(1, min(jobs, len(todo))), isolate=jobs > 1)
        for count, (number, measured) in enumerate(asked, 1):
            i, q = todo[number]
            setup = ways[i][0]
            head = {
                "dataset": q.dataset,
                "question_id": q.id,
                "strategy": setup.strategy,
                "variant": setup.variant.name,
                "settings_hash": setup.settings.hash(),
                "sample": 0,
            }
            append(file, {**head, **measured})
            if progress is not None:
                progress(count, len(todo))
    return list(read_records(out, name=FILE).values())


def _topics(question: Question, plan: RunPlan) -> tuple[str, ...]:
    return question.topics if plan.gold_topics else ()


def lost(measured: Iterable[Mapping[str, Any]]) -> Table:
    """Return the percentage of questions that still have their gold answer after each step.

    Only questions whose gold answer is in the store count.
    """
    rows = []
    for (dataset, strategy, variant), members in groups_of(measured).items():
        able = [r for r in members if r.get("holds", {}).get("store")]
        reported = {"answers", "first"}.union(*(r.get("sizes", {}) for r in members))
        shares = (percent(mean([float(r["holds"][s]) for r in able])) if s in reported else "–" for s in STAGES[1:])
        rows.append((dataset, label(strategy, variant), str(len(members)), str(len(able)), *shares))
    head = ("data set", "strategy", "n", "known to the store", "in G_q", "W_1", "W_2", "W_max", "answers", "first")
    note = (
        "% of the questions whose gold answer is known to the store: it is in the cut, an end of one of the W_1 "
        "relation paths, of the W_2 after verification, of the W_max selected, among the answers, the first answer. "
        "All phases together; offline agent. –: the strategy has no such step, or does not report what it leaves. ToG, "
        "ToG-2 and text have no G_q; their W_1 is what they saw of it, their W_2 what they selected of those, their "
        "W_max what was judged. Answers that are numbers or dates are no nodes."
    )
    return Table("Where right answers get lost (%)", head, tuple(rows), note)


def sizes(measured: Iterable[Mapping[str, Any]]) -> Table:
    """Return the number of classes that are left after each step."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(measured).items():
        for stage in ("cut", "pool", "kept", "selected"):
            values = [float(r["sizes"][stage]) for r in members if stage in r.get("sizes", {})]
            if values:
                cells = (f"{v or 0:,.0f}" for v in (mean(values), quantile(values, 0.5), quantile(values, 0.95)))
                rows.append((dataset, label(strategy, variant), stage, str(len(values)), *cells))
    head = ("data set", "strategy", "step", "n", "mean", "p50", "p95")
    note = "Classes that could be an answer: nodes of G_q, ends of the W_1, W_2 and W_max paths."
    return Table("Candidate answers left after each step", head, tuple(rows), note, left=3)

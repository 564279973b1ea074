"""Runs of question sets through strategies, with one JSON line for each question.

Every figure can be computed again from these lines.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hydra_kg.domain import AnswerData
from hydra_kg.errors import UsageError
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.runs.outcomes import path_relations, select_paths
from hydra_kg.evaluate.runs.run_records import (
    ANSWERS,
    Key,
    append,
    each_record,
    key_of,
    read_records,
    reference,
    writing,
)
from hydra_kg.evaluate.runs.spending import Spending
from hydra_kg.evaluate.runs.variants import BASE, Variant
from hydra_kg.evaluate.runs.workers import Ask, Makes, Task, ask_all
from hydra_kg.evaluate.scoring.metrics import score
from hydra_kg.serialise import answer_json
from hydra_kg.settings import Settings
from hydra_kg.settings.former_names import explain_former_name
from hydra_kg.strategies.base import Strategy
from hydra_kg.strategies.registry import make_strategy
from hydra_kg.util.fast_dataclass import dataclass, field, replace
from hydra_kg.util.recording import StepSeconds

__all__ = ["ANSWERS", "RunPlan", "Setup", "read_records", "run"]

RUN = "run.json"

Progress = Callable[[int, int, Mapping[str, Any]], None]
"""Called with the number of questions done, the number of all questions, and the newest record."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Everything that determines a run's answers, stored in ``run.json``.

    A resumed run may differ only in ``strategies``, ``variants`` and ``samples``. ``by_strategy`` has the settings of
    strategies that start from a preset of their own.
    """

    strategies: tuple[str | Strategy, ...]
    agent: str
    gold_topics: bool
    settings: Settings
    store: str = ""
    variants: tuple[Variant, ...] = (BASE,)
    samples: int = 1
    by_strategy: Mapping[str, Settings] = field(default_factory=dict)

    def settings_of(self, strategy: str) -> Settings:
        """Return the settings for a strategy, whatever its parameters are."""
        return self.by_strategy.get(strategy.partition("+")[0], self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the plan with the hash of the settings.

        The store's address is left out, because every answer has the store's manifest.
        """
        settings = json.loads(json.dumps({k: v for k, v in self.settings.by_name().items() if k != "store"}))
        return {
            "version": 1,
            "agent": self.agent,
            "gold_topics": self.gold_topics,
            "settings": settings,
            "settings_hash": self.settings.hash(),
            **({"presets": {s: own.hash() for s, own in self.by_strategy.items()}} if self.by_strategy else {}),
        }

    def setups(self) -> list[Setup]:
        """Return every way to ask; equal settings occur once, under the first name.

        Raises SettingsError or UsageError.
        """
        found: dict[tuple[str, str, int], Setup] = {}
        for chosen in self.strategies:
            s = chosen if isinstance(chosen, str) else make_strategy(chosen).name
            for v in self.variants:
                own = self.settings_of(s)
                digest = v.apply(own).hash()
                for n in range(self.samples):
                    found.setdefault((s, digest, n), Setup(s, v, n, v.apply(own, sample=n), chosen))
        return list(found.values())


@dataclass(frozen=True, slots=True)
class Setup:
    """A strategy under a variant, and a sample.

    ``settings`` are those of the sample. ``chosen`` is the strategy or its name.
    """

    strategy: str
    variant: Variant
    sample: int
    settings: Settings
    chosen: str | Strategy


@dataclass(frozen=True, slots=True)
class Finished:
    """Result of a run: questions asked, failed, and left because the budget was spent, and the total cost."""

    asked: int
    failed: int
    left: int
    spending: Spending


def run(
    questions: Sequence[Question],
    plan: RunPlan,
    out: Path,
    *,
    jobs: int = 1,
    isolate: bool = False,
    make: Callable[[Setup], Ask] | None = None,
    setups: Sequence[Setup] | None = None,
    progress: Progress | None = None,
    spending: Spending | None = None,
) -> Finished:
    """Ask every question in every way and write ``out/answers.jsonl``.

    Questions that already have an answer there are not asked again, except failed ones. The key is (data set, question,
    strategy, hash of the settings, sample).

    - ``make``: makes the asker of a setup (default: a Hydra on the plan's store).
    - ``setups``: replaces the plan's strategies under all of its variants.
    - ``spending``: the budget of the run. The earlier cost of the folder counts, once for all runs that share it.

    Raises UsageError if ``out`` has a run with other settings, StoreBusyError if another run writes there, and OSError
    if it cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    setups, spending = plan.setups() if setups is None else setups, spending or Spending()
    most = [spending.needs(s.settings, plan.agent) for s in setups]
    hashes = [
        s.variant.apply(plan.settings_of(s.strategy)).hash() for s in setups
    ]  # of the variant, whichever the sample
    with writing(out) as file:
        _same_plan(out / RUN, plan)
        earlier = {
            key: {name: record.get(name) for name in ("error", "usage")}
            for key, record in each_record(out, must_exist=False, repair=True)
        }
        for key, record in earlier.items():
            spending.book_once(key, record, max(most, default=(0, 0.0)))
        done = {key for key, record in earlier.items() if not record["error"]}
        waiting = deque(
            (i, q)
            for i, (setup, digest) in enumerate(zip(setups, hashes, strict=True))
            for q in questions
            if Key(*q.key, setup.strategy, digest, setup.sample) not in done
        )
        total = len(questions) * len(setups)
        count, failed, begun = total - len(waiting), 0, list[tuple[int, Question]]()

        def take() -> Task | None:
            if not waiting or not spending.fits(most[waiting[0][0]]):
                return None
            i, q = waiting.popleft()
            begun.append((i, q))
            spending.hold(len(begun) - 1, most[i])
            return Task(len(begun) - 1, q.text, q.topics if plan.gold_topics else (), i)

        makes: Makes = tuple(partial(make, s) if make else partial(HydraAsk, plan.store, plan.agent, s) for s in setups)
        for number, answer in ask_all(take, makes, jobs=max(1, min(jobs, len(waiting))), isolate=isolate):
            i, question = begun[number]
            record = _record(question, setups[i], hashes[i], answer)
            spending.settle(number, key_of(record), record)
            append(file, record)
            count, failed = count + 1, failed + bool(record.get("error"))
            if progress is not None:
                progress(count, total, record)
        return Finished(len(begun), failed, len(waiting), spending)


class HydraAsk:
    """The default asker: one Hydra, opened once per process."""

    def __init__(self, store: str, agent: str, setup: Setup) -> None:
        from hydra_kg.client import Hydra

        self._hydra = Hydra(store=store, settings=setup.settings, strategy=setup.chosen, agent=agent)
        _ = self._hydra.reasoner  # a store that does not open is said before the first question
        with self._hydra.store.snapshot() as snapshot:
            known = snapshot.predicates()
        self._reverse = {i: k for k, i in zip(known.keys, known.inverse, strict=True) if i}
        self._reverse |= {k: i for k, i in zip(known.keys, known.inverse, strict=True) if i}

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        self._hydra.reasoner.recorder = steps = StepSeconds()
        start, busy = time.perf_counter(), time.process_time()
        answer = trim_answer(self._hydra.ask(text, topics=topics, keep=False))
        answer["seconds"].setdefault("total", round(time.perf_counter() - start, 4))
        answer["seconds"]["cpu"] = round(time.process_time() - busy, 4)
        answer["seconds"] |= {f"step.{name}": round(taken, 4) for name, taken in steps.taken.items()}
        found = path_relations(select_paths(answer))
        answer["reverse"] = {r: self._reverse[r] for r in sorted(found) if r in self._reverse}
        return answer


def trim_answer(answer: AnswerData) -> dict[str, Any]:
    """Return the answer as JSON without dropped paths and the facts behind explorations: a quarter of its bytes."""
    selected = tuple(replace(x, evidence=tuple(e for e in x.evidence if e.kept)) for x in answer.explorations)
    doc = answer_json(replace(answer, explorations=selected))
    for x, exploration in zip(doc["explorations"], answer.explorations, strict=True):
        x["left_out"] += sum(not e.kept for e in exploration.evidence)
        for hop in (h for p in x["paths"] for h in p["hops"]):
            hop["facts"], hop["sources"] = len(hop["sources"]), []
    return doc


def _record(question: Question, setup: Setup, digest: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of a run for one answered question."""
    if "error" in answer:
        answer = {"version": 1, "question": question.text, **answer}
    return {
        "dataset": question.dataset,
        "question_id": question.id,
        **answer,
        "strategy": setup.strategy,
        "variant": setup.variant.name,
        "settings_hash": digest,
        "sample": setup.sample,
        **reference(question),
        "metrics": score(answer, question.gold) if question.gold is not None else None,
    }


def _same_plan(path: Path, plan: RunPlan) -> None:
    """Raise UsageError if the folder holds a run with another plan."""
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
        other = sorted(k for k in {*old, *new} - {"settings", "settings_hash"} if old.get(k) != new.get(k))
        names = [k for k in other if not explain_former_name(k)]
        if len(names) < len(other):
            names.append(f"{len(other) - len(names)} of an earlier version that are no settings any more")
        raise UsageError(
            f"{path.parent} holds a run with other settings ({', '.join(names) or 'unreadable'}).",
            remedy="Give another folder with --out, or repeat the settings of that run.",
        )

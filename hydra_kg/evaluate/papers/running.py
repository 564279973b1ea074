"""Asks what a table of the papers needs: its strategies under its variants, on its sets; what is saved is not asked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.evaluate.fusion.sets import files_of, read_queries
from hydra_kg.evaluate.papers.catalog import PaperTable
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.evaluate.runs.runner import Progress, RunPlan, run
from hydra_kg.evaluate.runs.spending import Spending
from hydra_kg.evaluate.runs.variants import BASE, Variant
from hydra_kg.evaluate.runs.workers import Ask
from hydra_kg.settings import KINDS
from hydra_kg.strategies.registry import make_strategy, refuse_undefined


def setups_of(table: PaperTable) -> list[tuple[Variant, tuple[str, ...]]]:
    """The variants of a table, each with the strategies that its rows ask under it."""
    found: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if row.asked:
            found.setdefault(row.variant, {})[row.way] = None
    known = {BASE.name: BASE, **{name: Variant(name, own) for name, own in (table.variants or {}).items()}}
    return [(known[name], tuple(strategies)) for name, strategies in found.items()]


def questions_of(table: PaperTable, *, limit: int, seed: int) -> tuple[list[Question], list[str]]:
    """The questions of its sets, ``limit`` of each, and which sets are not here; of claims what their queries ask."""
    read = _as_questions if table.kind == "claims" else read_questions
    questions: list[Question] = []
    missing = []
    for name in table.sets:
        try:
            questions += [replace(q, dataset=name) for q in read(name, limit=limit, seed=seed)]
        except NotFoundError:
            missing.append(f"{name} is not here (hydra-kg eval convert, docs/data.md)")
    return questions, missing


def _as_questions(name: str, *, limit: int, seed: int) -> list[Question]:
    """The queries of a set of claims in words."""
    queries = read_queries(files_of(name).queries)
    chosen = sorted(random.Random(seed).sample(range(len(queries)), limit)) if 0 < limit < len(queries) else None
    return [
        Question(
            name,
            q.id,
            f"What is the {(q.attribute or 'value').replace('_', ' ')} of {q.entity}?",
            (),
            tuple({"id": "", "name": value} for value in q.gold),
        )
        for q in (queries if chosen is None else [queries[i] for i in chosen])
    ]


def ask(
    table: PaperTable,
    questions: Sequence[Question],
    plan: RunPlan,
    out: Path,
    *,
    sources: Iterable[str],
    web: bool,
    jobs: int = 1,
    isolate: bool = False,
    make: Callable[[Variant], Callable[[str], Ask]] | None = None,
    progress: Progress | None = None,
    spending: Spending | None = None,
) -> tuple[int, list[str]]:
    """Ask the questions in all ways that the rows need. Returns how many are left because the budget is spent, and
    which rows cannot be had: strategies without a model or search engine, variants without a source that is not loaded.

    ``plan``: agent, settings and store; its strategies and variants are the table's. ``sources``: what the store holds.
    ``make``: gives the asker of a strategy under a variant (default: a Hydra on the plan's store). The answers in
    ``out`` are those of all tables, so that what one has asked the next one uses.
    """
    here, left, missing = {*sources, *KINDS}, 0, dict[str, None]()
    for variant, strategies in setups_of(table):
        without = str(dict(variant.overrides).get("retrieval.without", ""))
        if unknown := [name for name in without.split(",") if name and name not in here]:
            missing[f"{variant.name}: no source is called {', '.join(unknown)}"] = None
            continue
        able = []
        for name in strategies:
            try:
                made = make_strategy(name)
                refuse_undefined([made], model=plan.agent == "llm", web=web)
                if getattr(made, "ranker", "") == "cross" and not plan.settings.cross_encoder:
                    raise UsageError(f"{name} needs a cross-encoder, whose folder HYDRA_CROSS_ENCODER names.")
                able.append(name)
            except UsageError as e:
                missing[str(e.args[0]).rstrip(".")] = None
        if able and questions:
            own = replace(plan, strategies=tuple(able), variants=(variant,))
            done = run(
                questions,
                own,
                out,
                jobs=jobs,
                isolate=isolate,
                make=make(variant) if make else None,
                progress=progress,
                spending=spending,
            )
            left += done.left
    return left, list(missing)


def in_table(table: PaperTable, records: Iterable[Mapping[str, Any]], ids: set[tuple[str, str]]) -> list[Any]:
    """The records that the rows of a table are made of: its strategies and variants, on these questions."""
    ways = {(row.way, row.variant) for row in table.rows if row.asked}
    return [
        r
        for r in records
        if (r["strategy"], r.get("variant") or "") in ways and (r["dataset"], r["question_id"]) in ids
    ]

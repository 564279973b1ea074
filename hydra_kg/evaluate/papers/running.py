"""Asking the questions that a paper's table needs: its strategies under its variants, on its sets.

Saved answers are not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.evaluate.papers.catalog import PaperTable
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.evaluate.runs.run_records import each_record
from hydra_kg.evaluate.runs.runner import Progress, RunPlan, Setup, run
from hydra_kg.evaluate.runs.spending import Spending
from hydra_kg.evaluate.runs.variants import BASE, Variant
from hydra_kg.evaluate.runs.workers import Ask
from hydra_kg.settings import KINDS
from hydra_kg.strategies.registry import make_strategy, refuse_undefined


def setups_of(table: PaperTable) -> list[tuple[Variant, tuple[str, ...]]]:
    """Return the variants of a table, each with the strategies that its rows ask under it."""
    found: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if row.asked:
            found.setdefault(row.variant, {})[row.way] = None
    known = {BASE.name: BASE, **{name: Variant(name, own) for name, own in (table.variants or {}).items()}}
    return [(known[name], tuple(strategies)) for name, strategies in found.items()]


def questions_of(table: PaperTable, *, limit: int, seed: int) -> tuple[list[Question], list[str]]:
    """Return the questions of a table's sets, at most ``limit`` of each, and messages about missing sets."""
    questions: list[Question] = []
    missing = []
    for name in table.sets:
        try:
            questions += [replace(q, dataset=name) for q in read_questions(name, limit=limit, seed=seed)]
        except NotFoundError:
            missing.append(not_here(name))
    return questions, missing


def not_here(name: str) -> str:
    """Return the message about a missing set."""
    return f"{name} is not here (hydra-kg eval convert, docs/data.md)"


def able(strategies: Iterable[str], plan: RunPlan, *, web: bool) -> tuple[tuple[str, ...], list[str]]:
    """Return the strategies that can be asked, and what the others lack.

    They may lack a model, a search engine or a ranker.
    """
    found, missing = [], []
    for name in strategies:
        try:
            made = make_strategy(name)
            refuse_undefined([made], model=plan.agent == "llm", web=web)
            if getattr(made, "ranker", "") == "cross" and not plan.settings.cross_encoder:
                raise UsageError(f"{name} needs a cross-encoder, whose folder HYDRA_CROSS_ENCODER names.")
            found.append(name)
        except UsageError as e:
            missing.append(str(e.args[0]).rstrip("."))
    return tuple(found), missing


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
    make: Callable[[Setup], Ask] | None = None,
    progress: Progress | None = None,
    spending: Spending | None = None,
) -> tuple[int, list[str]]:
    """Ask the questions in all ways that the rows need, and store the answers in ``out``, which tables share.

    Returns the number of questions that the budget leaves, and messages about impossible rows.

    - ``plan``: the agent, the settings and the store.
    - ``sources``: the loaded sources.
    - ``make``: makes the asker of a setup.
    """
    here, setups, missing = {*sources, *KINDS}, dict[tuple[str, str], Setup](), dict[str, None]()
    for variant, strategies in setups_of(table):
        without = str(dict(variant.overrides).get("retrieval.without", ""))
        if unknown := [name for name in without.split(",") if name and name not in here]:
            missing[f"{variant.name}: no source is called {', '.join(unknown)}"] = None
            continue
        names, lacking = able(strategies, plan, web=web)
        missing |= dict.fromkeys(lacking)
        for setup in replace(plan, strategies=names, variants=(variant,)).setups():
            setups.setdefault((setup.strategy, setup.settings.hash()), setup)
    done = run(
        questions,
        plan,
        out,
        jobs=jobs,
        isolate=isolate,
        make=make,
        setups=list(setups.values()),
        progress=progress,
        spending=spending,
    )
    return done.left, list(missing)


def records_of(
    table: PaperTable, folder: Path, ids: Collection[tuple[str, str]], *, must_exist: bool = False
) -> list[Mapping[str, Any]]:
    """Return the saved answers behind the rows of a table, by its strategies and variants, to these questions."""
    ways = {(row.way, row.variant) for row in table.rows if row.asked}
    return list(
        {
            key: r
            for key, r in each_record(folder, must_exist=must_exist)
            if (r["strategy"], r.get("variant") or "") in ways and (r["dataset"], r["question_id"]) in ids
        }.values()
    )

"""Define ``hydra-kg eval table``: a table or figure of the papers, our numbers next to the printed ones."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.evaluation.fusion import authority_scorer
from hydra_kg.cli.evaluation.options import (
    FOLDER,
    answerable_option,
    jobs_option,
    limit_option,
    run_budget_calls_option,
)
from hydra_kg.cli.evaluation.report import print_table, read_answerable_table, seed_option
from hydra_kg.cli.evaluation.run_progress import Counter
from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import (
    agent_option,
    budget_options,
    chosen_agent,
    common_options,
    no_network_option,
    number_option,
    preset_option,
    settings_by_strategy,
    settings_from,
)
from hydra_kg.cli.terminal import json_text, note, out, out_all
from hydra_kg.cli.terminal import table as columns

if TYPE_CHECKING:
    from hydra_kg.evaluate.papers.catalog import PaperTable
    from hydra_kg.evaluate.runs.runner import RunPlan
    from hydra_kg.evaluate.runs.spending import Spending


@click.command(
    "table",
    cls=LongCommand,
    shown=("--out", "--saved", "--sets", "--preset", "--agent", "--limit", "--jobs", "--store"),
    epilog="Example: hydra-kg eval table hydra T5 --preset paper --out runs/paper --limit 100",
)
@click.argument("paper", required=False, metavar="[PAPER]")
@click.argument("name", required=False, metavar="[TABLE]")
@click.option(
    "--out",
    "folder",
    type=FOLDER,
    metavar="DIR",
    help="Where the answers go; those that are there are used and not asked again, also by other tables.",
)
@click.option("--saved", is_flag=True, help="Ask nothing: show what the answers in DIR give.")
@click.option("--sets", default="", metavar="S,...", show_default="all", help="Only these of the table's sets.")
@number_option(
    "--part",
    click.FloatRange(0, 1, min_open=True),
    1.0,
    "Of a large set's curves: how many of the entities that no query asks for.",
    metavar="SHARE",
)
@run_budget_calls_option("Most calls of the model for all answers in DIR together.")
@preset_option
@agent_option
@answerable_option
@limit_option
@seed_option
@jobs_option
@budget_options
@no_network_option
@common_options
def paper_table(
    paper: str | None,
    name: str | None,
    *,
    folder: Path | None,
    saved: bool,
    sets: str,
    part: float,
    run_budget_calls: int,
    preset: str,
    agent: str,
    answerable: Path | None,
    limit: int,
    seed: int,
    jobs: int,
    budget: Mapping[str, float | None],
    no_network: bool | None,
    store: str,
    as_json: bool,
) -> None:
    """Show a TABLE or figure of PAPER (hydra, pog, tog-2, multirag), such as hydra T5: ours, and what is printed.

    Without PAPER and TABLE, lists all of them, with what cannot be computed and why. Questions that the table needs are
    asked first: its strategies and settings on its question sets, or methods of fusion on its claims (found by
    HYDRA_DATA). With --out, rivals answer the queries about claims from stores that are made for that.

    Sets, strategies and sources that are not here are left out and named.
    """
    from hydra_kg.errors import UsageError
    from hydra_kg.evaluate.papers.catalog import BY_MODEL, find, listing, select_sets
    from hydra_kg.evaluate.papers.measuring import measure_answers, measure_claims, measure_sizes
    from hydra_kg.evaluate.papers.printed_table import backing_table, compare_table
    from hydra_kg.evaluate.reports.analyses import ANALYSES
    from hydra_kg.evaluate.runs.runner import RunPlan
    from hydra_kg.evaluate.runs.spending import Spending

    if not paper or not name:
        rows = [row for row in listing()[1:] if not paper or _normalise_strategy(row[0]) == _normalise_strategy(paper)]
        if as_json:
            out(json_text([dict(zip(listing()[0], row, strict=True)) for row in rows]))
        else:
            out_all(columns([listing()[0], *rows]))
        return
    chosen = find(paper, name)
    if chosen.status == "refused":
        raise UsageError(f"{paper} {name} cannot be measured here: {chosen.reason}.")
    if names := [given for text in sets.split(",") if (given := text.strip())]:
        chosen = select_sets(chosen, names)
    records: list[Any] = []
    missing: list[str] = []
    scorer = None
    asks = folder is not None and any(row.asked for row in chosen.rows)
    by_model = any(row.label.endswith(BY_MODEL) for row in chosen.rows)
    if chosen.kind == "questions" and not asks:
        raise click.UsageError(f"{paper} {name} is made of answers: --out names where they go.")
    if asks or by_model:
        settings = settings_from(store=store, no_network=no_network, preset=preset, budget=budget)
        settings = settings.changed(agent={"graph_first": 1.0})  # a table compares strategies, not one offline answer
        own = settings_by_strategy(preset, settings, no_network=no_network, budget=budget)
        plan = RunPlan((), chosen_agent(agent, settings), False, settings, settings.store, by_strategy=own)
        if by_model and plan.agent == "llm" and not saved:
            scorer = authority_scorer(settings, run_budget_calls)
        if asks and folder is not None:
            records, missing = _answers(
                chosen,
                plan,
                folder,
                saved=saved,
                limit=limit,
                seed=seed,
                part=part,
                jobs=jobs,
                spending=Spending(run_budget_calls),
            )
    if chosen.kind == "claims":
        found = measure_claims(chosen, records, part=part, scorer=scorer)
    else:
        found = measure_answers(chosen, records) if chosen.kind == "questions" else measure_sizes(chosen)
    for words in (*missing, *(scorer.notes[:5] if scorer else ())):
        note(words)
    found = replace(found, missing=(*found.missing, *missing))
    shown = [compare_table(chosen, found, records), *([ANALYSES[chosen.by](records)] if chosen.by and records else [])]
    if chosen.kind == "questions" and records:
        able = read_answerable_table(answerable)
        shown.append(
            backing_table(
                chosen, records, None if able is None else {key for key, known in able.items() if known.reachable}
            )
        )
    if as_json:
        out(json_text([t.to_json() for t in shown]))
        return
    for one in shown:
        print_table(one)


def _answers(
    chosen: PaperTable,
    plan: RunPlan,
    folder: Path,
    *,
    saved: bool,
    limit: int,
    seed: int,
    part: float,
    jobs: int,
    spending: Spending,
) -> tuple[list[Any], list[str]]:
    """Return the answers for the table, after asking those that are not saved, and what is missing."""
    from hydra_kg.evaluate.papers.running import ask, ask_claims, questions_of, records_of

    running: Any = {"jobs": jobs, "isolate": True, "progress": Counter(spending), "spending": spending}
    left = 0
    if chosen.kind == "claims":
        questions, left, missing = ask_claims(
            chosen, plan, folder, limit=limit, seed=seed, part=part, saved=saved, **running
        )
    else:
        questions, missing = questions_of(chosen, limit=limit, seed=seed)
        if not saved:
            sources, web = _sources(plan.store), bool(plan.settings.web.engine)
            left, more = ask(chosen, questions, plan, folder, sources=sources, web=web, **running)
            missing += more
    if left:
        missing.append(f"{left} questions are left: the run's budget is spent")
    return list(records_of(chosen, folder, {q.key for q in questions}, must_exist=saved)), missing


def _sources(store: str) -> list[str]:
    from hydra_kg.stores import open_store

    with closing(open_store(store)) as opened, opened.snapshot() as snapshot:
        return [source.name for load in snapshot.manifest() for source in load.sources]


def _normalise_strategy(name: str) -> str:
    return "hydra" if name.lower() == "hydrarag" else name.lower()

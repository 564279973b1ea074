"""Define ``hydra-kg eval gold`` and ``retrieval``: what a store can answer at all, and where right answers get lost."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from hydra_kg.cli.evaluation.options import (
    FOLDER,
    answerable_option,
    gold_topics_option,
    jobs_option,
    limit_option,
    only_option,
    questions_of,
    strategies_of,
    strategy_option,
)
from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import common_options, number_option, preset_option, settings_by_strategy, settings_from
from hydra_kg.cli.terminal import json_text, note, out

seed_option = number_option("--seed", int, 0, "Seed of the draw (--limit).", metavar="S")
out_option = click.option(
    "--out", "folder", type=FOLDER, required=True, metavar="DIR", help="The run's folder; its reports use it."
)


@click.command()
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@out_option
@number_option(
    "--query-seconds",
    click.FloatRange(min=0.1),
    10.0,
    "End a gold query after so long; it then counts as not answerable.",
)
@limit_option
@seed_option
@common_options
def gold(
    datasets: tuple[str, ...], *, folder: Path, query_seconds: float, limit: int, seed: int, store: str, as_json: bool
) -> None:
    """Say which questions the store can answer at all, as the denominator of each set's scores.

    Runs the gold SPARQL of each question on the loaded facts (pyoxigraph, the extra "eval") and measures the hops from
    its topics to its answers. Writes answerable.tsv into DIR for eval report.
    """
    from hydra_kg.evaluate.questions.answerable import FILE, denominators, write_denominators
    from hydra_kg.evaluate.questions.datasets import read_questions

    settings = settings_from(store=store)
    questions = [q for d in datasets for q in read_questions(d, limit=limit, seed=seed)]
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(denominators(questions, settings.store, seconds=query_seconds, progress=_progress))
    write_denominators(rows, folder / FILE)
    counts = []
    for dataset in dict.fromkeys(r.dataset for r in rows):
        own = [r for r in rows if r.dataset == dataset]
        counts.append(
            {
                "dataset": dataset,
                "questions": len(own),
                "gold_queries": sum(r.f1 is not None for r in own),
                "gold_query_runs": sum(bool(r.f1) for r in own),
                "reachable": sum(r.hops in {1, 2, 3} for r in own),
                "refused": sum(bool(r.note) for r in own),
            }
        )
    if as_json:
        out(json_text(counts))
        return
    for c in counts:
        out(
            f"{c['dataset']}: {c['questions']} questions, {c['gold_query_runs']} whose gold query finds a gold answer "
            f"(of {c['gold_queries']} with one), {c['reachable']} with an answer within three hops, "
            f"{c['refused']} queries that could not be run"
        )


@click.command(
    cls=LongCommand, shown=("--out", "--strategy", "--vary", "--gold-topics", "--jobs", "--limit", "--json", "--store")
)
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@out_option
@strategy_option
@click.option("--vary", multiple=True, metavar="NAME=V,...", help="Also under each of these values of a setting.")
@gold_topics_option
@jobs_option
@preset_option
@limit_option
@seed_option
@answerable_option
@only_option
@common_options
def retrieval(
    datasets: tuple[str, ...],
    *,
    folder: Path,
    strategy: str,
    vary: tuple[str, ...],
    gold_topics: bool,
    jobs: int,
    preset: str,
    limit: int,
    seed: int,
    answerable: Path | None,
    only: bool,
    store: str,
    as_json: bool,
) -> None:
    """Measure retrieval alone, without a model: is a gold answer in G_q, in the pool, among the W_max.

    Asks each question with the offline agent and checks what remains after every step. Writes retrieval.jsonl into DIR
    for eval report; questions that are there already are not asked again.
    """
    from hydra_kg.cli.evaluation.report import print_table
    from hydra_kg.evaluate.reports.retrieval import lost, measure, sizes
    from hydra_kg.evaluate.runs.runner import RunPlan
    from hydra_kg.evaluate.runs.variants import variants_of

    settings = settings_from(store=store, preset=preset)
    strategies = strategies_of(strategy, model=False, web=bool(settings.web.engine))
    plan = RunPlan(strategies, "offline", gold_topics, settings, settings.store, variants_of(vary))
    plan = replace(plan, by_strategy=settings_by_strategy(preset, settings))
    questions = questions_of(datasets, limit=limit, seed=seed, only=only, answerable=answerable, folder=folder)
    measured = measure(questions, plan, folder, jobs=jobs, progress=_progress)
    if as_json:
        out(json_text([t.to_json() for t in (lost(measured), sizes(measured))]))
        return
    for shown in (lost(measured), sizes(measured)):
        print_table(shown)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done}/{total} questions   ", err=True, nl=done == total)
    elif done == total or done % max(1, total // 10) == 0:
        note(f"{done}/{total} questions")

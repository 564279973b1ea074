"""Define ``hydra-kg eval``: run question sets, and join the parts of a run. Reports and comparisons are next to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from hydra_kg.cli.evaluation.convert import convert, describe
from hydra_kg.cli.evaluation.fusion import fusion
from hydra_kg.cli.evaluation.gold import gold, retrieval
from hydra_kg.cli.evaluation.options import (
    FOLDER,
    answerable_option,
    gold_topics_option,
    jobs_option,
    limit_option,
    only_option,
    questions_of,
    run_budget_calls_option,
    strategies_of,
    strategy_option,
)
from hydra_kg.cli.evaluation.paper_table import paper_table
from hydra_kg.cli.evaluation.report import analyse, compare, print_results, read_answerable_table, report, seed_option
from hydra_kg.cli.evaluation.run_progress import Counter
from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import (
    agent_option,
    budget_options,
    chosen_agent,
    common_options,
    debug_option,
    json_option,
    no_network_option,
    number_option,
    preset_option,
    settings_by_strategy,
    settings_from,
)
from hydra_kg.cli.terminal import note


@click.command(epilog="Example: hydra-kg eval merge runs/part-* --out runs/all")
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=FOLDER)
@click.option("--out", "target", type=FOLDER, required=True, metavar="DIR", help="A new folder for the whole run.")
@answerable_option
@seed_option
@json_option
@debug_option
def merge(folders: tuple[Path, ...], *, target: Path, answerable: Path | None, seed: int, as_json: bool) -> None:
    """Join the parts that eval run --shard made, and write the reports of the whole.

    Every part has to be there and finished; the result is what one run would have written.
    """
    from hydra_kg.evaluate.reports.report import write_reports
    from hydra_kg.evaluate.runs.run_records import read_records
    from hydra_kg.evaluate.runs.shards import merge as put_together

    known = read_answerable_table(answerable)
    count = put_together(folders, target)
    note(f"{count} answers of {len(folders)} parts, into {target}")
    if all(record.get("gold") is not None for record in read_records(target).values()):
        print_results(write_reports(target, answerable=known, seed=seed), as_json=as_json)
    else:
        note(f"No gold answers are known. Score the run with: hydra-kg eval report {target} --gold FILE")


@click.group()
def evaluate() -> None:
    """Score answers against gold answers."""


@evaluate.command(
    cls=LongCommand,
    shown=("--out", "--strategy", "--vary", "--agent", "--limit", "--jobs", "--preset", "--store"),
    epilog="Example: hydra-kg eval run webqsp_test --out runs/a --limit 100 --jobs 2",
)
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option(
    "--out",
    "folder",
    type=FOLDER,
    required=True,
    metavar="DIR",
    help="Where answers.jsonl, summary.json and the reports go; an unfinished run is taken up again.",
)
@click.option(
    "--shard",
    default="",
    metavar="K/N",
    help="Ask only every N-th question from the K-th on, into a folder of its own; eval merge puts the parts together.",
)
@strategy_option
@click.option(
    "--vary",
    multiple=True,
    metavar="NAME=V,...",
    help="Ask everything again under each of these values of a setting, one setting at a time; repeat for more. "
    "Put semicolons between values that contain commas.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="SOURCE,...",
    help="Ask everything again without these sources, or kinds of source (kg, wiki, web); repeat for more.",
)
@click.option("--ablations", is_flag=True, help="Also with one part of HydraRAG switched off at a time.")
@click.option("--completeness", is_flag=True, help="Also with 0, 30, 50 and 80 % of the graphs' facts.")
@number_option("--samples", click.IntRange(1), 1, "Ask each question this many times, with consecutive seeds.")
@preset_option
@agent_option
@limit_option
@seed_option
@jobs_option
@gold_topics_option
@budget_options
@run_budget_calls_option("Most calls of the model in the whole run.")
@click.option(
    "--run-budget-money",
    type=click.FloatRange(0),
    default=0,
    metavar="N",
    show_default="no limit",
    help="Most the whole run may cost, by the table of prices.",
)
@answerable_option
@only_option
@no_network_option
@common_options
def run(
    datasets: tuple[str, ...],
    *,
    folder: Path,
    shard: str,
    strategy: str,
    vary: tuple[str, ...],
    without: tuple[str, ...],
    ablations: bool,
    completeness: bool,
    samples: int,
    preset: str,
    agent: str,
    limit: int,
    seed: int,
    jobs: int,
    gold_topics: bool,
    budget: Mapping[str, float | None],
    run_budget_calls: int,
    run_budget_money: float,
    answerable: Path | None,
    only: bool,
    no_network: bool | None,
    store: str,
    as_json: bool,
) -> None:
    """Ask all questions of each DATASET and score the answers.

    DATASET is a .jsonl file in the data pack's layout, or the name of one with HYDRA_DATA set to the pack. Strategies
    get a question's text (and its topics with --gold-topics), never its gold answers. A file without answers is run
    too, and hydra-kg eval report --gold scores it. A question that fails is recorded as failed, and asked again when
    the run is continued.
    """
    from hydra_kg.errors import BudgetError
    from hydra_kg.evaluate.reports.report import write_reports
    from hydra_kg.evaluate.runs.runner import RunPlan
    from hydra_kg.evaluate.runs.runner import run as run_questions
    from hydra_kg.evaluate.runs.shards import RunShard, begin
    from hydra_kg.evaluate.runs.spending import Spending
    from hydra_kg.evaluate.runs.variants import variants_of
    from hydra_kg.stores import open_store

    settings = settings_from(store=store, no_network=no_network, preset=preset, budget=budget)
    agent = chosen_agent(agent, settings)
    strategies = strategies_of(strategy, model=agent == "llm", web=bool(settings.web.engine))
    plan = RunPlan(
        strategies=strategies,
        agent=agent,
        gold_topics=gold_topics,
        settings=settings,
        store=settings.store,
        variants=variants_of(vary, ablations=ablations, completeness=completeness, without=without),
        samples=samples,
        by_strategy=settings_by_strategy(preset, settings, no_network=no_network, budget=budget),
    )
    known = read_answerable_table(answerable)
    questions = questions_of(datasets, limit=limit, seed=seed, only=only, answerable=answerable, folder=folder)
    open_store(settings.store).close()  # a store that is missing is said before any process is started
    if shard:
        questions = begin(folder, RunShard.parse(shard), questions, plan)
    ways = len(plan.setups())
    note(f"{len(questions)} questions, strategies {', '.join(strategies)}, {ways} ways, into {folder}")
    spending = Spending(run_budget_calls, run_budget_money)
    counter = Counter(spending)
    done = run_questions(questions, plan, folder, jobs=jobs, isolate=True, progress=counter, spending=spending)
    if all(q.gold is not None for q in questions):
        print_results(write_reports(folder, answerable=known, seed=seed), as_json=as_json)
    else:
        note(f"No gold answers are known. Score the run with: hydra-kg eval report {folder} --gold FILE")
    if done.left:
        raise BudgetError(
            f"The run's budget is spent: {done.left} questions are left.",
            remedy="Run the same again with a larger --run-budget-calls or --run-budget-money; it goes on from here.",
        )


for command in (report, merge, compare, analyse, gold, retrieval, fusion, convert, describe, paper_table):
    evaluate.add_command(command)

"""``hydra-kg eval``: run question sets, report on what was saved, compare two runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hydra_kg.cli.options import (
    agent_option,
    chosen_agent,
    debug_option,
    json_option,
    no_network_option,
    preset_option,
    settings_from,
    store_option,
)
from hydra_kg.cli.terminal import clean, json_text, note, out, table

FOLDER = click.Path(file_okay=False, path_type=Path)
answerable_option = click.option(
    "--answerable",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The data pack's answerable.dev.tsv.gz: adds the rows 'reachable' and 'gold query runs' to the summary.",
)
seed_option = click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="S",
    help="Seed of the draw (--limit) and of all intervals.",
)


@click.group()
def evaluate() -> None:
    """Measure answers against gold."""


@evaluate.command(epilog="Example: hydra-kg eval run webqsp_test --out runs/a --limit 100 --jobs 2")
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option(
    "--out",
    "folder",
    type=FOLDER,
    required=True,
    metavar="DIR",
    help="Where answers.jsonl, summary.json and the reports go; an unfinished run is taken up again.",
)
@click.option("--strategy", default="hydra", show_default=True, metavar="S,...", help="One or several strategies.")
@preset_option
@agent_option
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default="all",
    help="Draw this many questions of each set.",
)
@seed_option
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="J", help="Ask in this many processes."
)
@click.option("--gold-topics", is_flag=True, help="Hand over the gold topic entities instead of linking.")
@answerable_option
@no_network_option
@store_option
@json_option
@debug_option
def run(
    datasets: tuple[str, ...],
    *,
    folder: Path,
    strategy: str,
    preset: str,
    agent: str,
    limit: int,
    seed: int,
    jobs: int,
    gold_topics: bool,
    answerable: Path | None,
    no_network: bool | None,
    store: str,
    as_json: bool,
) -> None:
    """Ask all questions of each DATASET and score the answers.

    DATASET is a .jsonl file in the data pack's layout, or the name of one with HYDRA_DATA set to the pack. Strategies
    get a question's text (and its topics with --gold-topics), never its gold answers. A question that fails is
    recorded as failed and asked again when the run is taken up.
    """
    from hydra_kg.evaluate.datasets import read_answerable, read_questions
    from hydra_kg.evaluate.report import write_reports
    from hydra_kg.evaluate.runner import Plan
    from hydra_kg.evaluate.runner import run as run_questions
    from hydra_kg.stores import open_store

    settings = settings_from(store=store, no_network=no_network, preset=preset)
    plan = Plan(
        strategies=tuple(s.strip() for s in strategy.split(",") if s.strip()),
        agent=chosen_agent(agent, settings),
        gold_topics=gold_topics,
        settings=settings,
        store=settings.store,
    )
    if not plan.strategies:
        raise click.UsageError("--strategy names none.")
    known = read_answerable(answerable) if answerable else None
    questions = [q for d in datasets for q in read_questions(d, limit=limit, seed=seed)]
    open_store(settings.store).close()  # a store that is missing is said before any process is started
    note(f"{len(questions)} questions, strategies {', '.join(plan.strategies)}, into {folder}")
    run_questions(questions, plan, folder, jobs=jobs, progress=_Counter())
    _print(write_reports(folder, answerable=known, seed=seed), as_json=as_json)


@evaluate.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=FOLDER)
@seed_option
@answerable_option
@json_option
@debug_option
def report(folders: tuple[Path, ...], *, seed: int, answerable: Path | None, as_json: bool) -> None:
    """Score the saved answers of each DIR again, and write its summary.json, report.md and report.html."""
    from hydra_kg.evaluate.datasets import read_answerable
    from hydra_kg.evaluate.report import write_reports

    known = read_answerable(answerable) if answerable else None
    for folder in folders:
        summary = write_reports(folder, answerable=known, seed=seed)
        if not as_json and len(folders) > 1:
            out(str(folder))
        _print(summary, as_json=as_json)


@evaluate.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--flips",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    metavar="N",
    help="Print this many questions that flipped in each set.",
)
@seed_option
@json_option
@debug_option
def compare(first: str, second: str, *, flips: int, seed: int, as_json: bool) -> None:
    """Compare run B with run A over their common questions.

    A and B are folders of eval run; DIR:STRATEGY picks one strategy of several. Differences are B − A with a paired
    bootstrap; Hits@1 also gets McNemar's exact test.
    """
    from hydra_kg.evaluate.report import compare as compare_runs

    doc = compare_runs(_records(first), _records(second), seed=seed)
    if as_json:
        out(json_text(doc))
        return
    for row in doc["rows"]:
        _print_comparison(row, flips)
    if not doc["rows"]:
        out("The two runs have no question in common.")
    elif doc["only_a"] or doc["only_b"]:
        out(f"Left out: {doc['only_a']} questions of A alone, {doc['only_b']} of B alone.")


def _records(text: str) -> list[Mapping[str, Any]]:
    from hydra_kg.evaluate.runner import read_records

    match = re.fullmatch(r"(.+):([\w-]+)", text)
    strategy = match[2] if match and not Path(text).is_dir() else ""
    records = read_records(Path(match[1] if match and strategy else text)).values()
    return [r for r in records if not strategy or r["strategy"] == strategy]


def _print(summary: Mapping[str, Any], *, as_json: bool) -> None:
    from hydra_kg.evaluate.report import table as rows

    if as_json:
        out(json_text(summary))
        return
    for line in table(rows(summary), right=tuple(range(3, 13))):
        out(line)


def _print_comparison(row: Mapping[str, Any], flips: int) -> None:
    out(
        f"{clean(row['dataset'])}: {row['n']} questions, {row['won']} won, {row['lost']} lost, "
        f"McNemar p = {row['mcnemar_p']:.4f}",
        bold=True,
    )
    lines = [("", "A", "B", "B − A", "95 % interval", "p")]
    for name, m in row["metrics"].items():
        values = [f"{100 * m[k]:.1f}" for k in ("a", "b")]
        lines.append(
            (
                name,
                *values,
                f"{100 * m['difference']:+.1f}",
                f"{100 * m['low']:+.1f} … {100 * m['high']:+.1f}",
                f"{m['p']:.4f}",
            )
        )
    for line in table(lines, right=(1, 2, 3, 4, 5), indent="  "):
        out(line)
    for flip in row["flips"][:flips]:
        gold = ", ".join(map(clean, flip["gold"]))
        out(f"  {'won ' if flip['won'] else 'lost'} {clean(flip['question_id'])}: {clean(flip['question'])}")
        out(f"       gold {gold} · A {clean(flip['a'])} · B {clean(flip['b'])}")
    if len(row["flips"]) > flips:
        out(f"  … {len(row['flips']) - flips} more (--flips N, --json)")


class _Counter:
    """Counts on stderr: in place on a terminal, every tenth of the run elsewhere."""

    def __init__(self) -> None:
        self._right = 0.0
        self._asked = 0
        self._shown = -1

    def __call__(self, done: int, total: int, record: Mapping[str, Any]) -> None:
        self._asked += 1
        self._right += record["metrics"]["hits1"]
        text = f"{done}/{total} questions, Hits@1 so far {100 * self._right / self._asked:.1f}"
        if record.get("error"):
            note(f"failed: {clean(record['dataset'])} {clean(record['question_id'])}: {clean(record['error'])}")
        if sys.stderr.isatty():
            click.echo(f"\r{text}   ", err=True, nl=done == total)
        elif (tenth := 10 * done // total) > self._shown:
            self._shown = tenth
            note(text)

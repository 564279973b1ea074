"""Define ``hydra-kg eval report``, ``analyse``, ``compare``: everything that is made from saved answers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.evaluation.options import FOLDER, answerable_option
from hydra_kg.cli.options import debug_option, file_option, json_option, number_option
from hydra_kg.cli.terminal import json_text, note, out, out_all, table
from hydra_kg.text.plain_text import clean, shorten

if TYPE_CHECKING:
    from hydra_kg.evaluate.questions.datasets import Answerable, Question
    from hydra_kg.evaluate.reports.tables import Table

ANALYSES = ("length", "topics", "labels", "evidence", "clues", "overlap", "phase", "errors", "graph", "cost", "stages")
WRONG = "wrong"
"""Name of the list of wrong answers. It has any length, and leaves out questions that are reserved for measuring."""
seed_option = number_option("--seed", int, 0, "Seed of the draw (--limit) and of all intervals.", metavar="S")
gold_option = click.option(
    "--gold",
    "gold",
    multiple=True,
    metavar="DATASET",
    help="Score with the gold of this question file, or set by name, in place of what was saved; repeat for more.",
)


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=FOLDER)
@seed_option
@gold_option
@answerable_option
@json_option
@debug_option
def report(
    folders: tuple[Path, ...], *, seed: int, gold: tuple[str, ...], answerable: Path | None, as_json: bool
) -> None:
    """Score the saved answers of each DIR again, and write its summary.json, report.md and report.html."""
    from hydra_kg.evaluate.reports.report import write_reports

    known, questions = read_answerable_table(answerable), read_gold_questions(gold)
    for folder in folders:
        summary = write_reports(folder, answerable=known, seed=seed, gold=questions)
        if not as_json and len(folders) > 1:
            out(str(folder))
        print_results(summary, as_json=as_json)


@click.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--by",
    "names",
    multiple=True,
    type=click.Choice((*ANALYSES, WRONG)),
    help="Only this one; repeat for more.",
    show_default=f"all but {WRONG}",
)
@gold_option
@json_option
@debug_option
def analyse(folder: str, *, names: tuple[str, ...], gold: tuple[str, ...], as_json: bool) -> None:
    """Print the papers' analyses of the saved answers in DIR.

    length: Hits@1 by relations in the gold query. topics: by number of topic entities. labels: what verified right
    answers. evidence: whether graph or model gave them. overlap: share of the gold relations on the answer's paths.
    phase: where answers come from. errors: kinds. graph: search space after each step. cost: calls, tokens,
    seconds. stages: tokens by step, pruning together. wrong: every wrong answer next to its gold answer, with verdict
    and confidence. DIR:STRATEGY picks one strategy, DIR:STRATEGY@VARIANT one of its variants.
    """
    from hydra_kg.evaluate.reports.analyses import ANALYSES as MAKE
    from hydra_kg.evaluate.reports.grade_tables import wrong
    from hydra_kg.evaluate.runs.run_records import replace_gold

    records = replace_gold(chosen_records(folder), read_gold_questions(gold))
    make = {**MAKE, WRONG: wrong}
    tables = [make[name](records) for name in names or ANALYSES]
    if as_json:
        out(json_text([t.to_json() for t in tables]))
        return
    for shown in tables:
        print_table(shown)


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@number_option("--flips", click.IntRange(0), 20, "Print this many questions that flipped in each set.")
@file_option(
    "--html", "page", text="Write a page with everything that flipped, linked to both explorations of each question."
)
@seed_option
@gold_option
@json_option
@debug_option
def compare(
    first: str, second: str, *, flips: int, page: Path | None, seed: int, gold: tuple[str, ...], as_json: bool
) -> None:
    """Compare run B with run A over their common questions.

    A and B are folders of eval run; DIR:STRATEGY picks one strategy of several, DIR:STRATEGY@VARIANT one of its
    variants. Differences are B − A with a paired bootstrap; Hits@1 also gets McNemar's exact test, as do the shares
    right, wrong, and wrong and sure. What the runs were made with otherwise (code, settings, loads …) is named first.
    """
    from hydra_kg.evaluate.reports.comparison import compare as compare_runs
    from hydra_kg.evaluate.reports.comparison import flips_page, index_by_question
    from hydra_kg.evaluate.runs.run_records import replace_gold

    questions = read_gold_questions(gold)
    a, b = (replace_gold(chosen_records(text), questions) for text in (first, second))
    doc = compare_runs(a, b, seed=seed)
    if page is not None:
        page.write_text(
            flips_page(doc, index_by_question(a), index_by_question(b), names=(first, second)), encoding="utf-8"
        )
        note(f"Written: {page}")
    if as_json:
        out(json_text(doc))
        return
    for name, values in doc["made"].items():
        out(f"{clean(name)} differs: A {_shorten_values(values['a'])}, B {_shorten_values(values['b'])}")
    for row in doc["rows"]:
        _print_comparison(row, flips)
    if not doc["rows"]:
        out("The two runs have no question in common.")
    elif doc["only_a"] or doc["only_b"]:
        out(f"Left out: {doc['only_a']} questions of A alone, {doc['only_b']} of B alone.")


def read_answerable_table(path: Path | None) -> Mapping[tuple[str, str], Answerable] | None:
    """Return the table that --answerable names."""
    from hydra_kg.evaluate.questions.datasets import read_answerable

    return read_answerable(path) if path else None


def read_gold_questions(datasets: Sequence[str]) -> list[Question]:
    """Return all questions of the sets that --gold names."""
    from hydra_kg.evaluate.questions.datasets import read_questions

    return [q for d in datasets for q in read_questions(d)]


def chosen_records(text: str) -> list[Mapping[str, Any]]:
    """Return the records of DIR, DIR:STRATEGY or DIR:STRATEGY@VARIANT. Raise NotFoundError."""
    from hydra_kg.errors import NotFoundError
    from hydra_kg.evaluate.runs.run_records import read_records

    folder, way = text, ""
    while not Path(folder).is_dir() and ":" in folder:
        folder, _, part = folder.rpartition(":")
        way = f"{part}:{way}" if way else part
    records: list[Mapping[str, Any]] = list(read_records(Path(folder)).values())
    if not way:
        return records
    there = {(r["strategy"], r.get("variant") or "") for r in records}
    for strategy, variant in there:
        if way == (f"{strategy}@{variant}" if variant else strategy):
            return [r for r in records if (r["strategy"], r.get("variant") or "") == (strategy, variant)]
    known = ", ".join(f"{s}@{v}" if v else s for s, v in sorted(there))
    raise NotFoundError(f"{folder} holds no answers of {way}.", remedy=f"It holds: {known or 'none'}.")


def print_results(summary: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the main table, selective figures and grades. Print more if one set was asked in one way."""
    from hydra_kg.evaluate.reports.grade_tables import grades, kinds, precision, selective
    from hydra_kg.evaluate.reports.report import results

    if as_json:
        out(json_text(summary))
        return
    shown = results(summary)
    out_all(table([shown.head, *shown.rows], right=tuple(range(shown.left, len(shown.head)))))
    ways = sum(r["part"] == "all" for r in summary["rows"])
    for more in (selective(summary), grades(summary), *((kinds(summary), precision(summary)) if ways == 1 else ())):
        if more.rows:
            out("")
            print_table(replace(more, note=""))


def print_table(shown: Table) -> None:
    """Print one table with its title and note."""
    out(shown.title, bold=True)
    out_all(table([shown.head, *shown.rows], right=tuple(range(shown.left, len(shown.head))), indent="  "))
    if shown.note:
        out(f"  {clean(shown.note)}", dim=True)


def _shorten_values(values: Sequence[Any]) -> str:
    """Return values of a manifest, each cut to a few words."""
    return " and ".join(clean(shorten(json_text(value, indent=None), 60)) for value in values) or "nothing"


def _print_comparison(row: Mapping[str, Any], flips: int) -> None:
    """Print how two runs differ on one set, with at most ``flips`` questions that flipped."""
    from hydra_kg.evaluate.reports.grade_tables import selective_comparison

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
    out_all(table(lines, right=(1, 2, 3, 4, 5), indent="  "))
    print_table(selective_comparison(row))
    for flip in row["flips"][:flips]:
        gold = ", ".join(map(clean, flip["gold"]))
        out(f"  {'won ' if flip['won'] else 'lost'} {clean(flip['question_id'])}: {clean(flip['question'])}")
        out(f"       gold {gold} · A {clean(flip['a'])} · B {clean(flip['b'])}")
        out(f"       {clean(flip['why'])}")
    if len(row["flips"]) > flips:
        out(f"  … {len(row['flips']) - flips} more (--flips N, --html FILE, --json)")

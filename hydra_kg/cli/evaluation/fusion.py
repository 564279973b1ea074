"""Define ``hydra-kg eval fusion``: score methods of truth discovery strictly on sets of conflicting claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import debug_option, file_option, json_option, number_option, settings_from
from hydra_kg.cli.terminal import json_text, note, out, out_all, table
from hydra_kg.util.source_code import code_version, source_hash

if TYPE_CHECKING:
    from hydra_kg.evaluate.fusion.method_runs import QueryGroups
    from hydra_kg.fusion.model.beliefs import Method
    from hydra_kg.fusion.model.claims import Claims
    from hydra_kg.runtime.extraction import AuthorityScorer
    from hydra_kg.settings import Settings

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    cls=LongCommand,
    shown=("--claims", "--queries", "--method", "--rules", "--out", "--curves", "--seed", "--json"),
    epilog="Example: hydra-kg eval fusion birthplaces heritages --method vote,default",
)
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option("--claims", type=FILE, metavar="FILE", help="Claims of the one SET named, instead of the data pack's.")
@click.option("--queries", type=FILE, multiple=True, metavar="FILE", help="Queries with gold values; may be repeated.")
@click.option(
    "--method", "methods", default="vote,default", show_default=True, metavar="M,...", help="Methods, or 'all'."
)
@click.option(
    "--rules",
    type=FILE,
    metavar="FILE",
    help="How values are compared, which sources are left out, their formats: a TOML file in place of the set's.",
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar="NAME=V,...",
    help="Also MCC with each of these values of alpha, beta, theta or graph_threshold; repeat for more.",
)
@click.option(
    "--authority",
    type=click.Choice(["graph", "llm"]),
    default="graph",
    show_default=True,
    help="llm: MCC also with the authority of sources as the language model scores it, a call a query.",
)
@number_option(
    "--budget-calls", click.IntRange(0), 100, "With --authority llm: calls of the model in all, 0 for no limit."
)
@file_option("--predictions", text="Write the last method's answers as JSON lines: id, values, confidence.")
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write summary.json, report.md and report.html: also by share of conflict, filters, ablations; sets "
    "that an earlier run measured there stay.",
)
@click.option(
    "--raw-values", is_flag=True, help="Fuse values without normalisation: they are equal only if their texts are."
)
@click.option("--formats", is_flag=True, help="With --out: also mixes of source formats, where the set's are known.")
@number_option(
    "--curves", click.IntRange(0), 0, "With --out: also curves under corruption, over so many seeds.", metavar="SEEDS"
)
@click.option(
    "--over",
    default="",
    metavar="M,...",
    show_default="vote,truthfinder,accu,default",
    help="Methods of mixes and curves.",
)
@number_option(
    "--part",
    click.FloatRange(0, 1, min_open=True),
    1.0,
    "Of a large set's curves: how many of the entities that no query asks for.",
    metavar="SHARE",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Seed of the bootstrap.")
@json_option
@debug_option
def fusion(
    sets: tuple[str, ...],
    *,
    claims: Path | None,
    queries: tuple[Path, ...],
    rules: Path | None,
    methods: str,
    sweeps: tuple[str, ...],
    authority: str,
    budget_calls: int,
    predictions: Path | None,
    folder: Path | None,
    raw_values: bool,
    formats: bool,
    curves: int,
    over: str,
    part: float,
    seed: int,
    as_json: bool,
) -> None:
    """Fuse the claims of each SET (movies, books, flights, stocks, birthplaces, heritages) and score the answers.

    Sets are found in the data pack (HYDRA_DATA). A SET may also be a folder made by hydra-kg eval convert, or --claims
    and --queries name files. A folder with set.toml may contain any set. The scorer is strict: values match one to one,
    and an unanswered query counts. lenient_f1 also counts a value that has more or fewer words than the gold.
    Differences are to the majority vote, with a paired bootstrap.
    """
    from hydra_kg.evaluate.fusion.curves import CURVE_METHODS
    from hydra_kg.evaluate.fusion.method_runs import compare_methods, judge_set, prepare_set, write_run
    from hydra_kg.evaluate.fusion.method_runs import table as rows_of
    from hydra_kg.evaluate.fusion.stages import swept
    from hydra_kg.evaluate.fusion.summary import measure_set, read_summary, write
    from hydra_kg.fusion.truth_discovery.methods import METHODS, method

    if (claims or queries or predictions or rules) and len(sets) > 1:
        raise click.UsageError("--claims, --queries, --rules and --predictions go with one SET.")
    if claims and not queries:
        raise click.UsageError("--claims goes with --queries.")
    if raw_values and folder is not None:
        raise click.UsageError("--raw-values goes without --out: its figures are read with --json.")
    if (formats or curves or over) and folder is None:
        raise click.UsageError("--formats, --curves and --over go with --out.")
    names = list(METHODS) if methods == "all" else _split_list(methods)
    chosen = [method(name) for name in names]
    chosen += [one for text in sweeps for one in swept(text, chosen)]
    several = [method(name).name for name in _split_list(over)] or CURVE_METHODS
    if not chosen:
        raise click.UsageError("--method needs a name.")
    scorer = authority_scorer(settings_from(), budget_calls) if authority == "llm" else None
    docs: list[dict[str, object]] = []
    found = read_summary(folder) if folder else {}
    for name in sets:
        data, asked, seconds = prepare_set(name, claims=claims, queries=queries, rules=rules, raw_values=raw_values)
        note(f"{data.name}: {len(data.reading.claims)} claims, {len(asked)} queries")
        for rejected in data.rejected[:5]:
            note(f"rejected line {rejected.line}: {rejected.reason}")
        if len(data.rejected) > 5:
            note(f"rejected {len(data.rejected)} lines in all")
        own = _add_model_authority(scorer, chosen, data.reading.claims, asked) if scorer else []
        runs = [judge_set(data, one, asked) for one in (*chosen, *own)]
        versus = compare_methods(runs, seed=seed) if any(run.method == "vote" for run in runs) else {}
        docs += rows_of(runs, data.name, versus)
        if predictions:
            write_run(predictions, runs[-1])
        if folder:
            found[data.name] = measure_set(
                data, asked, runs, formats=formats, curves=curves, part=part, over=several, reading=seconds, seed=seed
            )
            write(folder, found, {"code": code_version(), "source": source_hash(), "seed": seed})
            note(f"Written: {folder / 'report.html'}")
    if as_json:
        out(json_text(docs))
        return
    out_all(table([tuple(docs[0]), *(tuple(map(str, doc.values())) for doc in docs)], right=tuple(range(2, 10))))


def authority_scorer(settings: Settings, calls: int) -> AuthorityScorer:
    """Return a scorer that asks the settings' model how authoritative sources are.

    It makes at most ``calls`` calls in all; 0 means no limit.
    """
    from hydra_kg.models.budget import Budget
    from hydra_kg.runtime.extraction import AuthorityScorer

    return AuthorityScorer(settings, Budget(calls=calls, owner="this run"))


def _add_model_authority(
    scorer: AuthorityScorer, methods: Sequence[Method], claims: Claims, asked: Sequence[QueryGroups]
) -> list[Method]:
    """Return the methods, where those that are MCC use the model's authority."""
    from dataclasses import replace

    from hydra_kg.evaluate.fusion.stages import score_authority_by_model
    from hydra_kg.fusion.truth_discovery.mcc import Mcc

    own = [one for one in methods if isinstance(one, Mcc)]
    if not own:
        raise click.UsageError("--authority llm goes with --method mcc, mcc-normalised, or --sweep.")
    found = score_authority_by_model(claims, asked, scorer)
    note(f"authority by the model for {found.queries} of {len(asked)} queries, {scorer.budget.usage.calls} calls")
    for text in scorer.notes[:5]:
        note(text)
    return [replace(one, name=f"{one.name}, authority by the model", authority=found.scores) for one in own]


def _split_list(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]

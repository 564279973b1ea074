"""Define ``hydra-kg eval merge``: join the parts of a run."""

from __future__ import annotations

from pathlib import Path

import click

from hydra_kg.cli.evaluation.options import FOLDER, answerable_option
from hydra_kg.cli.evaluation.report import print_results, read_answerable_table, seed_option
from hydra_kg.cli.options import debug_option, json_option
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

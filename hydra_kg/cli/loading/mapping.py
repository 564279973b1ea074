"""What is said and asked before a load: what a table's columns are taken for, how long cutting a part out will take."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.terminal import note
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.ingest.contract.loader import Loader


def agree(
    files: Sequence[Path],
    format: str,  # noqa: A002
    *,
    source: str,
    extra: Mapping[str, str],
    yes: bool,
    dry_run: bool = False,
) -> None:
    """Show every guess about the files, and ask unless ``yes``. Raises UsageError where nobody can be asked. A loader
    that describes itself takes only what is sure and says so afterwards: where nobody is asked, nothing is shown first.
    """
    from hydra_kg.errors import UsageError
    from hydra_kg.ingest.load import batch_files

    if any(str(file) == "-" for file in files):  # it can be read once only: what is piped in is taken as guessed
        return
    asks = sys.stdin is not None and sys.stdin.isatty()
    sure = not dry_run and (yes or not asks)
    guesses = [
        (batch, lines)
        for batch in batch_files(files, format=format, source=source, extra=extra)
        if _asked(batch.loader, sure=sure) and (lines := batch.loader.mapping(batch.files, extra=extra))
    ]
    for batch, lines in guesses:
        note(f"{batch.source.name}: {', '.join(file.name for file in batch.files)}")
        for line in lines:
            note(f"  {clean(line)}")
    if yes or dry_run or not guesses:
        return
    if not asks:
        raise UsageError(
            "Nobody can be asked whether these columns are understood.",
            remedy="If they are, say --yes; else correct them with --entity COL, --source-column COL, --map COL=ROLE.",
        )
    click.confirm("Is that right?", abort=True, err=True, default=True)


def _asked(loader: Loader, *, sure: bool) -> bool:
    return not (sure and loader.describes_itself)


def foretell(files: Sequence[Path], format: str, *, limit: int, extra: Mapping[str, str]) -> None:  # noqa: A002
    """Say what ``--around`` is going to take: passes, time, disk."""
    from hydra_kg.cli.progress import clock
    from hydra_kg.cli.terminal import number
    from hydra_kg.ingest.contract.choices import Options
    from hydra_kg.ingest.load import batch_files
    from hydra_kg.ingest.neighbourhood.around import Neighbourhood
    from hydra_kg.text.folding import bytes_text

    if any(str(file) == "-" for file in files):
        return
    batches = batch_files(files, format=format)
    around = Neighbourhood([(batch.loader, batch.files) for batch in batches], Options(limit=limit, extra=extra))
    for batch in batches:
        cost = around.forecast(batch.loader, batch.files)
        note(
            f"{batch.source.name}: about {number(int(cost['lines']))} lines, {cost['passes']:.0f} passes in about"
            f" {clock(cost['seconds'])}, up to {bytes_text(cost['bytes_scratch'])} of disk while that lasts"
        )

"""Ask before a load: how a table's columns are understood, and how long cutting a part out will take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hydra_kg.cli.terminal import confirm_or_abort, note
from hydra_kg.text.plain_text import clean


def agree(
    files: Sequence[Path],
    format: str,  # noqa: A002
    *,
    source: str,
    extra: Mapping[str, str],
    yes: bool,
    dry_run: bool = False,
) -> None:
    """Show the columns' meaning; confirm unless ``yes``. Raise UsageError without a terminal, Abort for no."""
    from hydra_kg.errors import UserError
    from hydra_kg.ingest.load import batch_files

    reported_later = yes and not dry_run
    guesses = []
    batches = batch_files(files, format=format, source=source, extra=extra)
    for batch in batches:
        if reported_later and batch.loader.describes_itself:
            continue
        try:
            lines = batch.loader.mapping(batch.files, extra=extra)
        except UserError:  # with several batches, the load reports it and goes on with the others
            if len(batches) == 1:
                raise
            continue
        if lines:
            guesses.append((batch, lines))
    for batch, lines in guesses:
        note(f"{batch.source.name}: {', '.join(file.name for file in batch.files)}")
        for line in lines:
            note(f"  {clean(line)}")
    if guesses and not (yes or dry_run):
        confirm_or_abort(
            "Is that right?",
            remedy="Accept the mapping with `--yes`, or change it with `--entity` or `--map`.",
            default=True,
        )


def foretell(files: Sequence[Path], format: str, *, limit: int, extra: Mapping[str, str]) -> None:  # noqa: A002
    """Print what ``--around`` is going to need: passes, time, disk."""
    from hydra_kg.cli.progress import clock
    from hydra_kg.cli.terminal import number
    from hydra_kg.ingest.contract.choices import Options
    from hydra_kg.ingest.load import batch_files
    from hydra_kg.ingest.neighbourhood.around import Neighbourhood
    from hydra_kg.text.folding import bytes_text

    batches = batch_files(files, format=format)
    around = Neighbourhood([(batch.loader, batch.files) for batch in batches], Options(limit=limit, extra=extra))
    for batch in batches:
        cost = around.forecast(batch.loader, batch.files)
        note(
            f"{batch.source.name}: about {number(int(cost['lines']))} lines, {cost['passes']:.0f} passes in about"
            f" {clock(cost['seconds'])}, up to {bytes_text(cost['bytes_scratch'])} of disk while that lasts"
        )

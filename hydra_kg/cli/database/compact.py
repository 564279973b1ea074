"""``hydra-kg db compact``: the links of many loads in one place, so that asking is as fast as with one load."""

from __future__ import annotations

import time

import click

from hydra_kg.cli.options import common_options, number_option, settings_from, store_with
from hydra_kg.cli.terminal import json_text, number, out
from hydra_kg.text.folding import bytes_text


@click.command()
@number_option("--more-than", click.IntRange(0), 16, "Merge only if a walk looks in more than N places.")
@click.option("--force", is_flag=True, help="Merge whatever there is, also anew.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Merge also a load that holds more than half of all links: costs its size.",
)
@common_options
def compact(*, more_than: int, force: bool, everything: bool, store: str, as_json: bool) -> None:
    """Merge the links of many loads, so that asking is fast again.

    The loads stay: their sources, facts, ids and answers are the same, and each can be shown, dropped and replaced as
    before. Questions go on meanwhile; loads that finish wait.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores.common.abilities import Compactable

    address = settings_from(store=store).store
    refusal = "A Neo4j server keeps no segments: there is nothing to merge."
    with store_with(Compactable, address, refusal, "Give --store a folder.") as opened, progress() as listener:
        begun = time.monotonic()
        done = opened.compact(more_than=0 if force else more_than, everything=everything, listener=listener)
    if as_json:
        out(json_text({**done, "seconds": round(time.monotonic() - begun, 3)}))
    elif done["merged"]:
        size = f"{number(done['links'])} links, {bytes_text(done['bytes'])}"
        out(f"Merged the links of {number(done['merged'])} loads ({size}).")
        out(f"A walk looks in {done['after']} places instead of {done['before']}.")
    else:
        out(f"Nothing to merge: a walk looks in {done['before']} places.")

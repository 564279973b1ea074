"""Define ``hydra-kg db compact`` and ``index``: merge the links of many loads, and build missing indexes of names."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from hydra_kg.cli.options import common_options, number_option, settings_from, store_with
from hydra_kg.cli.terminal import json_text, number, out
from hydra_kg.text.folding import bytes_text


@click.command()
@number_option("--more-than", click.IntRange(0), 16, "Merge only if the links are in more than N places.")
@click.option("--force", is_flag=True, help="Merge whatever there is, even if it was merged before.")
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
    before. Questions are answered meanwhile; loads that finish wait.
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
        out(f"A question now reads links in {done['after']} places instead of {done['before']}.")
    else:
        places = "1 place" if done["before"] == 1 else f"{number(done['before'])} places"
        out(f"Nothing to merge: the links of this store are in {places}.")


@click.command("index")
@common_options
def name_index(*, store: str, as_json: bool) -> None:
    """Build the missing parts of the index of names.

    Misspelt names in questions are looked up in it. The first question that needs it builds it for loads of up to two
    million names; larger loads build their own. Questions are answered meanwhile. The index for a Neo4j server is
    stored on the machine that asks.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.ports import NameIndexing

    address = settings_from(store=store).store
    refusal = "This store has no index of names by their vectors."
    with (
        store_with(NameIndexing, address, refusal, "Give --store a folder or a server.") as opened,
        progress() as listener,
    ):
        opened.index_names(listener)
        counts = opened.name_index()
    out(json_text(counts) if as_json else index_words(counts))


def index_words(counts: Mapping[str, Any]) -> str:
    """Return the state of the index in one line."""
    missing = f", {number(int(counts['missing']))} missing (hydra-kg db index)" if counts["missing"] else ""
    if not counts["names"]:
        return f"none{missing}"
    names, size = number(int(counts["names"])), bytes_text(int(counts["bytes"]))
    return f"{names} names, {size}, made in {counts['seconds']:.1f} s{missing}"

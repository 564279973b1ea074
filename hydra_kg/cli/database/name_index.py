"""``hydra-kg db index``: makes the index of names that loads before this version, or a killed one, left unmade."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from hydra_kg.cli.options import common_options, settings_from, store_with
from hydra_kg.cli.terminal import json_text, number, out
from hydra_kg.text.folding import bytes_text


@click.command("index")
@common_options
def name_index(*, store: str, as_json: bool) -> None:
    """Make what is missing of the index of names.

    Names that a question misspells are looked up in it. A load makes its own; questions make what is missing of loads
    of up to two million names. Questions go on meanwhile. That of a Neo4j server is kept where it is asked from.
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
    """How the index stands in one line."""
    missing = f", {number(int(counts['missing']))} missing (hydra-kg db index)" if counts["missing"] else ""
    if not counts["names"]:
        return f"none{missing}"
    names, size = number(int(counts["names"])), bytes_text(int(counts["bytes"]))
    return f"{names} names, {size}, made in {counts['seconds']:.1f} s{missing}"

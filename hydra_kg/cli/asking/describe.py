"""Define ``hydra-kg describe``: what is in a store, and questions that it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.options import common_options
from hydra_kg.cli.terminal import json_text, number, out, out_all, store_suffix, table
from hydra_kg.text.folding import fold
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.client import Hydra
    from hydra_kg.steps.schema.store_description import Description, ExampleQuestion

_TRIED = 4
"""Most questions that are asked for each one that is wanted."""


@click.command(epilog="Example: hydra-kg describe --store shop.db")
@click.option(
    "--questions", "wanted", default=10, show_default=True, type=click.IntRange(0, 100), help="How many of them."
)
@click.option("--all", "every", is_flag=True, help="All classes and relations, not only the largest twenty.")
@common_options
def describe(*, wanted: int, every: bool, store: str, as_json: bool) -> None:
    """Describe what is in a store and what can be asked.

    Lists classes with counts, relations with the classes that they join and an example, and questions that were made
    from the facts and then asked. Only questions that were answered as the facts say are shown.
    """
    from hydra_kg.client import Hydra
    from hydra_kg.steps.schema.store_description import describe as described

    with Hydra(store=store, agent="offline") as hydra:
        with hydra.store.snapshot() as snapshot:
            found = described(snapshot)
        answered = list(_keep_answered(hydra, found.candidates, wanted))
    if as_json:
        doc = {k: v for k, v in asdict(found).items() if k != "candidates"}
        out(json_text(doc | {"questions": [{"question": c.question, "answers": c.answers} for c in answered]}))
        return
    out_all(_lines(found, answered, None if every else 20, store_suffix(store)))


def _keep_answered(hydra: Hydra, candidates: tuple[ExampleQuestion, ...], wanted: int) -> Iterator[ExampleQuestion]:
    """Yield the candidates that are answered as the facts say."""
    good = 0
    for candidate in candidates[: wanted * _TRIED]:
        if good == wanted:
            return
        answer = hydra.ask(candidate.question, keep=False)
        if {fold(a.name) for a in answer.answers} == {fold(a) for a in candidate.answers}:
            good += 1
            yield candidate


def _lines(found: Description, answered: list[ExampleQuestion], most: int | None, at: str) -> Iterator[str]:
    """Yield the lines of ``hydra-kg describe``, with at most ``most`` of each kind."""
    if not found.facts:
        yield f"Nothing is loaded yet. Load something: hydra-kg load FILE{at}"
        return
    yield f"{number(found.facts)} facts"
    if found.classes:
        yield ""
        rows: list[tuple[str, ...]] = [("class", "things", "such as")]
        for c in found.classes[:most]:
            rows.append((clean(c.name), number(c.count), clean(" · ".join(c.examples))[:70]))
        yield from table(rows, right=(1,))
        yield from _mention_more(len(found.classes), most)
    yield ""
    rows = [("relation", "facts", "joins", "such as")]
    for r in found.relations[:most]:
        joins = f"{r.domain or 'thing'} → {r.range or 'thing'}" if r.domain or r.range else ""
        example = " → ".join(x for x in r.example if x)
        rows.append((clean(r.text), number(r.count), clean(joins), clean(example)[:60]))
    yield from table(rows, right=(1,))
    yield from _mention_more(len(found.relations), most)
    if answered:
        yield ""
        yield "It answers, for example"
        for one in answered:
            yield f'  hydra-kg ask "{clean(one.question)}"{at}'
            yield f"    {clean(', '.join(one.answers[:3]))}{' …' if len(one.answers) > 3 else ''}"


def _mention_more(count: int, most: int | None) -> Iterator[str]:
    if most is not None and count > most:
        yield f"  and {count - most} more: --all"

"""Define ``hydra-kg why-not``: why a saved answer does not name an expected one."""

from __future__ import annotations

import click

from hydra_kg.cli import completing
from hydra_kg.cli.options import common_options, settings_from
from hydra_kg.cli.terminal import json_text, out, warn
from hydra_kg.text.plain_text import clean

MARKS = {"met": "✓", "not met": "✗", "not stated": "?"}


@click.command(
    "why-not",
    short_help="Say why an answer does not name an expected one.",
    epilog='Example: hydra-kg why-not last "Kate Winslet"',
)
@click.argument("answer_id", metavar="ID", shell_complete=completing.answers)
@click.argument("expected")
@common_options
def why_not(*, answer_id: str, expected: str, store: str, as_json: bool) -> None:
    """Say which condition of the question EXPECTED fails, or which sources lack the fact.

    ID is the id of a saved answer, the beginning of its id, or "last". EXPECTED is the name or the id of the answer
    that you missed. Each condition of the question is tried on it.
    """
    from hydra_kg.checking.missing_answer import explain_missing
    from hydra_kg.client import Hydra

    with Hydra(settings=settings_from(store=store), agent="offline", warn=warn) as hydra:
        found = explain_missing(hydra, hydra.show("" if answer_id == "last" else answer_id), expected)
    if as_json:
        out(json_text(found.to_json()))
        return
    out(f"Q: {clean(found.question)}")
    out(clean(found.summary))
    for condition in found.conditions:
        why = f"  ({clean(condition.why)})" if condition.why else ""
        out(f"  {MARKS[condition.status]} {clean(condition.condition)}: {condition.status}{why}")
    if found.found:
        out(f"Found on the way: {found.found}  ({clean(found.reason)})")
    if found.sources:
        counts = ", ".join(f"{clean(source)} {count:,}" for source, count in found.sources)
        out(f"Facts about {clean(found.expected)} ({clean(found.id)}): {counts}")

"""Define ``hydra-kg confirm``: say whether a kept answer was right, so that its sources are trusted more or less."""

from __future__ import annotations

import click

from hydra_kg.cli import completing
from hydra_kg.cli.options import common_options, settings_from
from hydra_kg.cli.terminal import json_text, out, out_all, table, warn
from hydra_kg.text.plain_text import clean


@click.command(
    short_help="Say whether a saved answer was right.", epilog='Example: hydra-kg confirm last --wrong --answer "F79"'
)
@click.argument("answer_id", metavar="ID", shell_complete=completing.answers)
@click.option("--right", "verdict", flag_value="right", help="The answer was right.")
@click.option("--wrong", "verdict", flag_value="wrong", help="The answer was wrong.")
@click.option("--answer", default="", metavar="X", help="What is right: of several answers this one, or another one.")
@common_options
def confirm(*, answer_id: str, verdict: str | None, answer: str, store: str, as_json: bool) -> None:
    """Confirm or refute a saved answer, by its id, the beginning of its id, or "last".

    For every source that stated one of its values, or another one, this records that the source was right or wrong once
    more. The confidence of later answers uses this history (MultiRAG Eq. 11). Nothing else changes it, and
    HYDRA_VERIFICATION_HISTORY=frozen keeps it as it is. An answer that is confirmed again is judged again.
    """
    from hydra_kg.client import Hydra
    from hydra_kg.fusion.gathering.confirmation import judge_stated_values
    from hydra_kg.fusion.truth_discovery.source_history import FILE, History
    from hydra_kg.stores import store_path

    if verdict is None:
        raise click.UsageError("Say --right or --wrong.")
    settings = settings_from(store=store)
    with Hydra(settings=settings, warn=warn) as hydra:
        doc = hydra.show("" if answer_id == "last" else answer_id)
        history = History(store_path(settings.store) / FILE, frozen=settings.verification.history == "frozen")
        rows = judge_stated_values(doc, right=verdict == "right", answer=answer)
        counts = history.confirm(str(doc["id"]), rows)
    moved = sorted({source for source, _, _ in rows})
    if as_json:
        found = {s: {"right": counts[s][0], "judged": counts[s][1]} for s in moved}
        out(json_text({"id": doc["id"], "right": verdict == "right", "sources": found}))
        return
    out(f"Marked as {verdict}: {clean(doc['question'])} {clean(doc['answer_text'])}")
    if not moved:
        out("No source states a value of this answer, so no source is trusted more or less.")
        return
    lines = [("source", "right", "judged")]
    lines += [(s, str(counts[s][0]), str(counts[s][1])) for s in moved]
    out_all(table(lines, right=(1, 2)))

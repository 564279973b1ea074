"""Define ``hydra-kg check``: which sentences of a draft are stated, contradicted or not found, and where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from hydra_kg.cli.options import common_options, file_option, no_network_option, settings_from
from hydra_kg.cli.terminal import json_text, note, out, out_all, warn
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.checking.draft import CheckedSentence

MARKS = {"stated": "✓", "contradicted": "✗", "not found": "?", "no statement": " "}
CONTRADICTED = 4


@click.command(epilog="Example: hydra-kg check draft.md --html checked.html")
@click.argument("draft", type=click.File("r", encoding="utf-8"), metavar="FILE")
@file_option("--html", "html", text="Write one self-contained page with every sentence and the lines that say so.")
@click.option("--keep", is_flag=True, help="Save the answer about each sentence for hydra-kg show.")
@no_network_option
@common_options
@click.pass_context
def check(
    ctx: click.Context,
    *,
    draft: IO[str],
    html: Path | None,
    keep: bool,
    no_network: bool | None,
    store: str,
    as_json: bool,
) -> None:
    """Check every sentence of a text against the sources.

    FILE is Markdown or plain text; - is standard input. A sentence is stated if the sources state every part of it,
    contradicted if they state otherwise about one part, and not found if they say nothing about it. "He" and "its"
    mean the last fitting name. No language model takes part.

    Exit status 4: at least one sentence is contradicted.
    """
    from hydra_kg.checking.draft import check_draft, draft_json, draft_page
    from hydra_kg.client import Hydra

    try:
        text = draft.read()
    except UnicodeDecodeError:
        raise click.UsageError(f"{draft.name} is not a text in UTF-8. Save it as plain text or Markdown.") from None
    checked: list[CheckedSentence] = []
    with Hydra(settings=settings_from(store=store, no_network=no_network), agent="offline", warn=warn) as hydra:
        for sentence in check_draft(hydra, text, keep=keep):
            checked.append(sentence)
            if not as_json:
                out_all(sentence_lines(sentence))
    doc = draft_json(checked)
    if as_json:
        out(json_text(doc))
    else:
        counts = doc["counts"]
        out()
        out(f"{counts['stated']} stated, {counts['contradicted']} contradicted, {counts['not found']} not found.")
    if html is not None:
        html.write_text(draft_page(Path(draft.name).name, checked), encoding="utf-8", errors="replace")
        note(f"Wrote {html}: open it in a browser.")
    if doc["counts"]["contradicted"]:
        ctx.exit(CONTRADICTED)


def sentence_lines(sentence: CheckedSentence) -> Iterator[str]:
    """Yield a sentence with its mark and line, and below it what the sources say."""
    yield f"{MARKS[sentence.status]} {sentence.line:>4}  {clean(sentence.text)}"
    if sentence.status == "no statement":
        return
    said = [f"understood as: {clean(sentence.asked)}"] if sentence.asked else []
    said += [f"“{clean(text)}”: {status}" for text, status in sentence.parts]
    said += [clean(sentence.why) or sentence.status]
    for line in sentence.evidence:
        places = "; ".join(f"{clean(source)}: {clean(locator)}" for source, locator in line.places)
        said.append(f"{clean(line.text)}  ({places})")
    yield from (f"        {text}" for text in said)

"""Define ``hydra-kg extract``: a language model writes the facts of passages into a file that can be loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from hydra_kg.cli.options import (
    debug_option,
    file_option,
    json_option,
    no_network_option,
    number_option,
    settings_from,
    yes_option,
)
from hydra_kg.cli.terminal import confirm, json_text, note, number, out
from hydra_kg.errors import FormatError, UsageError

if TYPE_CHECKING:
    from hydra_kg.agents.model_extraction import FactExtractor

CALLS: Final = 300
"""Calls of one run by default: enough for a hundred short passages."""

LONGEST: Final = 4_000_000
"""Most bytes of a line that is read."""


@click.command(
    epilog="Example: hydra-kg extract notes.jsonl --out notes.facts.jsonl",
    short_help="Have a language model write the facts of texts.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@file_option(
    "--out",
    "place",
    text="Where the passages go with their facts, one JSON object a line; what is there already is not asked again.",
    required=True,
)
@click.option("--limit", type=click.IntRange(0), default=0, metavar="N", help="Read the first N passages only.")
@number_option("--budget-calls", click.IntRange(0), CALLS, "Calls of the model, 0 for no limit.")
@click.option(
    "--budget-tokens",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default="no limit",
    help="Tokens, of prompts and replies.",
)
@click.option(
    "--budget-money",
    type=click.FloatRange(0),
    default=0.0,
    metavar="N",
    show_default="no limit",
    help="Money by the table of prices in your own hydra.toml.",
)
@no_network_option
@yes_option
@json_option
@debug_option
def extract(
    *,
    file: Path,
    place: Path,
    limit: int,
    budget_calls: int,
    budget_tokens: int,
    budget_money: float,
    no_network: bool | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Have the language model of the settings write down the facts that texts state.

    It reads the passages of FILE (JSON lines with title and text), one after the
    other. For each it makes three calls: it finds names, writes triples of them,
    and gives these a standard form (MultiRAG §III.B). What it writes must be in
    the text.

    The texts are sent to the model's endpoint; the command asks before, unless
    --yes is given. Load the result with hydra-kg load: its facts are marked as
    extracted. If a run was stopped, or its budget was spent, give the command
    again to continue.
    """
    from hydra_kg.models.budget import Budget
    from hydra_kg.runtime.extraction import fact_extractor

    settings = settings_from(no_network=no_network).changed(
        budget={"calls": budget_calls, "tokens": budget_tokens, "money": budget_money, "seconds": 0.0}
    )
    if place.resolve() == file.resolve():
        raise UsageError("--out is the file that is read.", remedy="Name another file.")
    budget = Budget.of(settings)
    maker = fact_extractor(settings, budget)
    done = _done(place, maker.mark)
    todo = [(line, doc) for line, doc in _passages(file, limit) if _key(doc, maker.mark) not in done]
    note(f"{number(len(todo))} passages to read, {number(len(done))} read before; {maker.endpoint} is asked.")
    if todo and not (yes or confirm("Send them there?", remedy="Send them with `--yes`.")):
        out("Nothing was sent.")
        return
    extractor = maker.make(done.values())
    counts = _write_extracted(place, todo, extractor, maker.mark) if todo else {"passages": 0, "facts": 0, "unread": 0}
    for text in extractor.notes[:5]:
        note(text)
    left = len(todo) - counts["passages"]
    usage = budget.usage
    doc = {**counts, "left": left, "calls": usage.calls, "tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out}
    if as_json:
        out(json_text(doc))
        return
    out(f"{number(counts['facts'])} facts of {number(counts['passages'])} passages in {place}, {usage.calls} calls.")
    if left:
        why = budget.stopped or "Their replies could not be used."
        out(f"{number(left)} passages are left. {why} The same command goes on.")


def _passages(file: Path, limit: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line number and the object of each passage with a text."""
    count = 0
    with file.open("rb") as lines:
        for line, doc in enumerate(_objects(lines), 1):
            if doc is None:
                continue
            if isinstance(doc.get("text"), str) and doc["text"].strip():
                yield line, doc
                count += 1
                if count == limit:
                    return
    if not count:
        raise FormatError(f"{file} has no passage.", remedy='It wants a JSON object a line, with "title" and "text".')


def _objects(lines: BinaryIO) -> Iterator[dict[str, Any] | None]:
    """Yield each line's object, or None for a line that is none."""
    while data := lines.readline(LONGEST):
        try:
            doc = json.loads(data) if data.endswith(b"\n") or len(data) < LONGEST else None
        except (ValueError, RecursionError):
            doc = None
        yield doc if isinstance(doc, dict) else None


def _key(doc: Mapping[str, Any], mark: str) -> str:
    """Return a key that identifies a passage, the model and the prompts."""
    return sha256(json.dumps([str(doc.get("title") or ""), doc["text"], mark]).encode()).hexdigest()[:16]


def _done(place: Path, mark: str) -> dict[str, dict[str, Any]]:
    """Return what an earlier run wrote, by key. Half a line at the end, of a run that was killed, is cut off."""
    if not place.exists():
        return {}
    with place.open("r+b") as file:
        data = file.read()
        whole = data.rfind(b"\n") + 1
        file.truncate(whole)
    found = {}
    for line in data[:whole].splitlines():
        try:
            doc = json.loads(line)
            if doc["extracted"]["by"] != mark:
                raise UsageError(
                    f"{place} was made by another model, or with other prompts.",
                    remedy="Name another file, or delete it.",
                )
            found[str(doc["extracted"]["key"])] = doc
        except (ValueError, KeyError, TypeError, RecursionError) as e:
            raise FormatError(f"{place} was not written by hydra-kg extract.", remedy="Name another file.") from e
    return found


def _write_extracted(
    place: Path, todo: list[tuple[int, Mapping[str, Any]]], extractor: FactExtractor, mark: str
) -> dict[str, int]:
    """Append the facts of each text as JSON lines. Return counts of facts and of failed texts."""
    counts = {"passages": 0, "facts": 0, "unread": 0}
    with place.open("a", encoding="utf-8") as file:
        for _, doc in todo:
            facts = extractor.facts(str(doc.get("title") or ""), doc["text"])
            if extractor.stopped:
                break
            if facts is None:
                counts["unread"] += 1
                continue
            rows = [[f.subject, f.relation, f.object, f.start, f.end] for f in facts]
            made = {**doc, "facts": rows, "extracted": {"by": mark, "key": _key(doc, mark)}}
            file.write(json.dumps(made) + "\n")
            file.flush()
            counts["passages"] += 1
            counts["facts"] += len(rows)
    return counts

"""Open citations: the exact line, row or passage behind a number or a locator, and where its file is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hydra_kg.cli.options import common_options, number_option, settings_from
from hydra_kg.cli.terminal import json_text, out
from hydra_kg.errors import NotFoundError
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.ingest.cited import CitedPlace

F = TypeVar("F", bound=Callable[..., Any])
Doc = Mapping[str, Any]


def file_options(function: F) -> F:
    """Add ``--file`` and ``--seconds``, passed on as ``file`` and ``seconds``."""
    for option in (
        number_option(
            "--seconds", click.FloatRange(0), 60.0, "Search a large file this long for a line; 0 is no limit."
        ),
        click.option(
            "--file",
            type=click.Path(exists=True, path_type=Path),
            metavar="PATH",
            help="Where the cited file, or its folder, is now, if it was moved since it was loaded.",
        ),
    ):
        function = option(function)
    return function


@click.command("line", epilog="Example: hydra-kg sources line freebase.nt.gz:6455")
@click.argument("reference", metavar="REF")
@file_options
@common_options
def line_of_source(*, reference: str, file: Path | None, seconds: float, store: str, as_json: bool) -> None:
    """Print the line or row that REF names, with three lines around it, and where its file is.

    REF is a locator as answers cite it (freebase.nt.gz:6455, also with the text around it), or SOURCE:LINE.
    """
    show_place({}, reference, store=store, file=file, seconds=seconds, as_json=as_json)


def show_citation(doc: Doc, n: int, *, store: str, file: Path | None, seconds: float, as_json: bool) -> None:
    """Print citation ``n`` of a kept answer. Raise NotFoundError if there is no such number."""
    from hydra_kg.cli.printing import number_citations

    numbers = number_citations(doc)
    cited = next((c for c in numbers.used() if c["n"] == n), None)
    if cited is None:
        most = len(numbers.used())
        raise NotFoundError(
            f"The answer {doc['id']} has no citation [{n}].",
            remedy=f"It has [1] to [{most}]." if most else "It cites nothing.",
        )
    passages = (p.get("passage") or {} for p in _paths(doc))
    place = cited["source"], cited["locator"]
    passage = next((p for p in passages if p and (p["source"], p["locator"]) == place), None)
    known = {k: cited[k] for k in ("n", "source", "locator", "url", "fact") if k in cited}
    known |= {"states": numbers.statements.get(n, [])} | ({"passage": passage["text"]} if passage else {})
    show_place(known, cited["locator"], store=store, file=file, seconds=seconds, as_json=as_json)


def show_place(
    known: Mapping[str, Any], reference: str, *, store: str, file: Path | None, seconds: float, as_json: bool
) -> None:
    """Print the lines at a cited place. Raise NotFoundError if they cannot be shown.

    ``known`` holds what an answer says about the place: n, source, states, passage and url.
    """
    from hydra_kg.ingest.cited import place_of, show_lines
    from hydra_kg.stores import open_store

    with closing(open_store(settings_from(store=store).store)) as opened:
        loads = opened.loads()
    try:
        place = place_of(reference, loads, source=known.get("source", ""))
    except NotFoundError:
        if "passage" not in known:
            raise
        _print({**known, "lines": []}, as_json=as_json)
        return
    needles = [reference.partition(" (")[0], *_names(known)]
    cited, lines = show_lines(place, file, seconds=seconds, needles=needles)
    doc: dict[str, Any] = {"locator": reference, "source": place.load, **known}
    doc |= {"file": str(cited.path), "state": cited.state, "line": place.line, "unit": place.unit}
    doc |= {"lines": [asdict(line) for line in lines]}
    if cited.why:
        doc |= {"why": cited.why, "remedy": cited.remedy}
    found = bool(doc["lines"]) or "passage" in doc
    _print(doc, as_json=as_json, remedy=found)
    if not found:
        raise NotFoundError(
            f"Line {place.line} of {place.file} cannot be shown: {cited.why}" if cited.why else _nothing(place),
            remedy=cited.remedy or "Open it where its address leads, if it has one.",
        )


def _nothing(place: CitedPlace) -> str:
    if place.unit == "lines":
        return f"Line {place.line} of {place.file} cannot be shown."
    return f"Number {place.line} of the {place.unit} in {place.file} is not a line of it and cannot be shown."


def _names(known: Doc) -> list[str]:
    """Return the names in what is stated, to find them in a long line."""
    return [part.strip("“”") for statement in known.get("states", ()) for part in statement.split(" → ")[-1:]]


def _paths(doc: Doc) -> Sequence[Doc]:
    return [*doc["paths"], *(p for x in doc["explorations"] for p in x["paths"])]


def _print(doc: Doc, *, as_json: bool, remedy: bool = True) -> None:
    """Print a cited place with its lines and the statement, as text or JSON."""
    if as_json:
        out(json_text(doc))
        return
    out(f"{'[' + str(doc['n']) + '] ' if 'n' in doc else ''}{clean(doc['locator'])}  ({clean(doc['source'])})")
    for statement in doc.get("states", ()):
        out(f"states: {clean(statement)}")
    if doc.get("url"):
        out(f"page: {clean(doc['url'])}")
    if doc.get("passage"):
        out(f"passage: {clean(doc['passage'])}")
    if "file" in doc:
        out(f"file: {clean(doc['file'])} ({clean(doc['state'])})")
    if remedy and doc.get("why"):
        out(f"      {clean(doc['why'])} {clean(doc['remedy'])}")
    width = max((len(str(line["number"])) for line in doc["lines"]), default=0)
    for line in doc["lines"]:
        out(f"{'>' if line['cited'] else ' '} {line['number']:>{width}}  {clean(line['text'])}")

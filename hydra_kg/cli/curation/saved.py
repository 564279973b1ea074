"""Define ``hydra-kg saved``: questions saved with their answers, asked again after or before a change of the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from hydra_kg.cli import completing
from hydra_kg.cli.options import common_options, settings_from
from hydra_kg.cli.progress import progress
from hydra_kg.cli.terminal import cut, json_text, note, out, out_all, table, warn
from hydra_kg.errors import UsageError
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.curation.asking_again import AskedAgain


@click.group()
def saved() -> None:
    """Save questions with their answers, and see which change."""


@saved.command("add", epilog="Example: hydra-kg saved add last")
@click.argument("answer_id", metavar="ID", default="last", shell_complete=completing.answers)
@common_options
def add_saved(*, answer_id: str, store: str, as_json: bool) -> None:
    """Save the question of an answer with the answer, by its id, the beginning of its id, or "last"."""
    from hydra_kg.client import Hydra

    with Hydra(settings=settings_from(store=store), warn=warn) as hydra:
        new = hydra.saved.save(hydra.show("" if answer_id == "last" else answer_id))
    text = f"Saved as {new.number}: {clean(new.question)} {clean(new.answer_text or '(no answer)')}"
    out(json_text(new.to_json()) if as_json else text)


@saved.command("list")
@common_options
def list_saved(*, store: str, as_json: bool) -> None:
    """List the saved questions with the answers that are expected."""
    from hydra_kg.client import Hydra

    with Hydra(settings=settings_from(store=store), warn=warn) as hydra:
        known = hydra.saved.all()
    if as_json:
        out(json_text([one.to_json() for one in known]))
    elif not known:
        out("No question is saved yet. Save the last one: hydra-kg saved add last")
    else:
        rows = [("number", "question", "answer", "verdict")]
        rows += [(str(s.number), cut(s.question, 60), cut(s.answer_text or "none", 60), s.verdict) for s in known]
        out_all(table(rows, right=(0,)))


@saved.command("remove")
@click.argument("number", type=int)
@common_options
def remove_saved(*, number: int, store: str, as_json: bool) -> None:
    """Forget a saved question. Answers that were given stay."""
    from hydra_kg.client import Hydra

    with Hydra(settings=settings_from(store=store), warn=warn) as hydra:
        gone = hydra.saved.remove(number)
    out(json_text(gone.to_json()) if as_json else f"Forgot {number}: {clean(gone.question)}")


@saved.command("check")
@click.option("--flip", default="", metavar="NAME", help="As if the waiting load of this name were in use.")
@click.option("--drop", default="", metavar="SOURCE", help="As if this source were dropped.")
@click.option("--accept", is_flag=True, help="Expect the answers of now from now on.")
@common_options
def check_saved(*, flip: str, drop: str, accept: bool, store: str, as_json: bool) -> None:
    """Ask all saved questions again and show those whose answer changed.

    Exit status 1: an answer changed and is not accepted, so that a script notices it.
    """
    if (flip and drop) or (accept and (flip or drop)):
        raise click.UsageError("Give one of --flip, --drop and --accept.")
    asked = changes_after(store, flip=flip, drop=drop, accept=accept)
    from hydra_kg.curation.asking_again import count_changes

    counts = count_changes(asked)
    if as_json:
        out(json_text({"counts": counts, "questions": [one.to_json() for one in asked]}))
    else:
        out_all(change_lines(asked, before=bool(flip or drop)))
    if counts["answers"] and not accept:
        raise SystemExit(1)


def changes_after(store: str, *, flip: str = "", drop: str = "", accept: bool = False) -> list[AskedAgain]:
    """Ask the saved questions over the store as it is, or as it would be with a waiting load or without a source."""
    from hydra_kg.client import Hydra
    from hydra_kg.curation.asking_again import ask_saved

    settings = settings_from(store=store)
    with Hydra(settings=settings, warn=warn) as hydra, progress() as listener:
        opened = partial(Hydra, settings=settings, warn=warn)
        asked = ask_saved(hydra, lambda s: opened(store=s), flip=flip, drop=drop, keep=accept, listener=listener)
        for one in asked if accept else ():
            if one.now["id"]:
                hydra.saved.save(one.now)
        return asked


def tell_changes(store: str, *, flip: str = "", drop: str = "") -> None:
    """Print to stderr which saved answers changed, or would change. Print nothing if no question is saved.

    A change of a store on a server cannot be tried beforehand, so nothing is printed for it either.
    """
    try:
        asked = changes_after(store, flip=flip, drop=drop)
    except UsageError:
        return
    for line in change_lines(asked, before=bool(flip or drop)) if asked else ():
        note(line)


def change_lines(asked: Sequence[AskedAgain], *, before: bool) -> Iterator[str]:
    """Yield what changed. ``before``: whether the change of the store is still to come."""
    from hydra_kg.curation.asking_again import count_changes

    if not asked:
        yield "No question is saved. Save the last one: hydra-kg saved add last"
        return
    counts = count_changes(asked)
    verb = "would change" if before else "changed"
    verdicts = f"{counts['verdicts']} more only in their verdict"
    yield f"{counts['answers']} of {counts['asked']} saved answers {verb}; {verdicts}."
    rows = [("number", "question", "saved", "then" if before else "now")]
    for one in asked:
        if one.differs or one.verdict_differs:
            pair = [(one.saved.answer_text, one.saved.verdict), (str(one.now["answer_text"]), str(one.now["verdict"]))]
            then, now = (f"{cut(text or 'none', 50)} ({verdict})" for text, verdict in pair)
            rows.append((str(one.saved.number), cut(one.saved.question, 50), then, now))
    if len(rows) > 1:
        yield from table(rows, right=(0,))

"""Define ``hydra-kg teach``: say once what words of questions mean in this store; list and undo that."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.options import common_options, settings_from
from hydra_kg.cli.terminal import json_text, out, out_all, table, warn
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.curation.teachings import Teaching


@click.command(
    short_help="Say once what words of questions mean.",
    epilog='Examples: hydra-kg teach "turnover" "revenue"    hydra-kg teach "margin" "= (price - cost) / price"',
)
@click.argument("phrase", required=False)
@click.argument("meaning", required=False)
@click.option("--entity", default="", metavar="ID", help="PHRASE means the one thing with this id.")
@click.option("--undo", type=int, default=None, metavar="NUMBER", help="Take a teaching out of use.")
@click.option("--author", default="", metavar="NAME", show_default="your user name", help="Who teaches it.")
@common_options
def teach(
    *, phrase: str | None, meaning: str | None, entity: str, undo: int | None, author: str, store: str, as_json: bool
) -> None:
    """Teach this store what PHRASE means: the words MEANING, or one entity. Without PHRASE, list what was taught.

    The next question already uses it, and its answer says so. Teach a phrase again to change its meaning.

    A MEANING that begins with = is a formula over the columns of a table, such as "= (price - cost) / price". The table
    is loaded again with PHRASE as a column.
    """
    from hydra_kg.client import Hydra
    from hydra_kg.curation.teachings import check_entity, is_formula
    from hydra_kg.serving.corrections import teach_formula, undo_formula

    if phrase and bool(meaning) == bool(entity):
        raise click.UsageError('Say what it means: words, as in teach "turnover" "revenue", or an --entity ID.')
    if undo is not None and phrase:
        raise click.UsageError("Give --undo NUMBER alone.")
    with Hydra(settings=settings_from(store=store), warn=warn) as hydra:
        if undo is not None:
            taught = next((one for one in hydra.teachings.all() if one.number == undo), None)
            done = undo_formula(hydra, taught) if taught and is_formula(taught.meaning) else hydra.teachings.undo(undo)
            out(json_text(done.to_json()) if as_json else f"“{clean(done.phrase)}” has its ordinary meaning again.")
        elif phrase:
            if entity:
                with hydra.store.snapshot() as snapshot:
                    check_entity(snapshot, entity)
            if meaning and is_formula(meaning):
                new = teach_formula(hydra, phrase, meaning, author=author or _user())
            else:
                new = hydra.teachings.teach(phrase, meaning or entity, entity=bool(entity), author=author or _user())
            shown = clean(new.meaning) if new.entity else f"“{clean(new.meaning)}”"
            text = f"“{clean(new.phrase)}” means {shown} from now on. To undo it: hydra-kg teach --undo {new.number}"
            out(json_text(new.to_json()) if as_json else text)
        else:
            _list(hydra.teachings.all(), as_json=as_json)


def _list(known: list[Teaching], *, as_json: bool) -> None:
    """Print the teachings in use."""
    if as_json:
        out(json_text([one.to_json() for one in known]))
    elif not known:
        out('Nothing was taught yet. Teach something: hydra-kg teach "turnover" "revenue"')
    else:
        rows = [("number", "phrase", "means", "author", "date (UTC)")]
        for one in known:
            kind = " (entity)" if one.entity else ""
            rows.append(
                (str(one.number), clean(one.phrase), clean(one.meaning) + kind, clean(one.author), one.created[:10])
            )
        out_all(table(rows, right=(0,)))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no name is known for this user id
        return ""

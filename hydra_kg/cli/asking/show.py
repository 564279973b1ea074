"""Define ``hydra-kg show``: kept answers, their explorations, and the page that draws them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hydra_kg.cli import completing
from hydra_kg.cli.citing import file_options, show_citation
from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import common_options, file_option, number_option, settings_from
from hydra_kg.cli.terminal import cut, json_text, note, out, out_all, store_suffix, table, warn
from hydra_kg.text.plain_text import clean


@click.command(
    cls=LongCommand,
    shown=("--why", "--html", "--paths", "--limit", "--cite", "--verbose", "--json", "--store"),
    short_help="List saved answers; show one with the paths explored.",
    epilog="Example: hydra-kg show last --html page.html",
)
@click.argument("answer", metavar="[ID]", default="", shell_complete=completing.answers)
@click.option("--why", is_flag=True, help="Print the sources of every hop of the selected paths.")
@file_option("--html", "html", text="Write one self-contained page with the explored graph drawn.")
@number_option("--paths", click.IntRange(0), 10, "Print this many selected and this many pruned paths of each phase.")
@number_option("--limit", click.IntRange(1), 20, "List this many stored answers.")
@click.option(
    "--to",
    default="",
    metavar="URL",
    help="Put it on a Neo4j server (neo4j://host:port) with the facts it used, to be browsed there; "
    "no answer of a store there uses them.",
)
@click.option("--remove", is_flag=True, help="With --to: take it off that server again.")
@click.option(
    "--cite",
    type=click.IntRange(1),
    metavar="N",
    help="Print the cited text of [N], which is the line of the file with three around it or the passage, and the "
    "file's place.",
)
@file_options
@click.option("--verbose", "-v", is_flag=True, help="Print the scores as numbers too; with --why, how they come about.")
@click.option("--cypher", is_flag=True, help="Print only the query that shows it in Neo4j Browser.")
@common_options
def show(
    *,
    answer: str,
    why: bool,
    html: Path | None,
    paths: int,
    limit: int,
    to: str,
    remove: bool,
    cypher: bool,
    verbose: bool,
    cite: int | None,
    file: Path | None,
    seconds: float,
    store: str,
    as_json: bool,
) -> None:
    """Show a saved answer: every phase, which paths were selected and pruned, and why.

    ID is the answer's id, the beginning of its id, or "last". Without ID the stored answers are listed; with an option
    that needs an answer, the newest is shown. For a store on a server, an address follows that opens the explored graph
    in Neo4j Browser.
    """
    from hydra_kg.cli.asking import browse
    from hydra_kg.client import Hydra

    if remove:
        if not to or answer in ("", "last"):
            raise click.UsageError("--remove needs an ID, and --to.")
        browse.remove(answer, to, as_json=as_json)
        return
    with Hydra(settings=settings_from(store=store), warn=warn) as hydra:
        if not answer and not (why or to or cypher or cite) and html is None:
            from hydra_kg.stores import is_store

            if not is_store(hydra.path):
                _ = hydra.store  # says what is missing and how to get it
            list_answers(hydra.traces.list(limit=limit), as_json=as_json)
            return
        doc = hydra.show("" if answer == "last" else answer)
        if cite is not None:
            show_citation(doc, cite, store=store, file=file, seconds=seconds, as_json=as_json)
            return
        if to:
            browse.push(hydra, doc, to, paths=paths, as_json=as_json)
            return
        link = browse.link_of(hydra, doc, paths=paths)
    if cypher:
        out(_query(doc["id"], paths=paths))
        return
    if html is not None:
        from hydra_kg.pages.page import page

        html.write_text(page(doc), encoding="utf-8", errors="replace")
        note(f"Wrote {html}: open it in a browser.")
    if as_json:
        out(json_text({**doc, "browser": link} if link else doc))
    elif html is None or why:
        print_answer(doc, why=why, paths=paths, verbose=verbose, at=store_suffix(store))
        out_all(browse.link_lines(link) if link else ())


def _query(key: str, *, paths: int) -> str:
    from hydra_kg.stores.neo4j.traces.browser_links import make_explored_query

    return make_explored_query(key, paths=paths)


def list_answers(answers: Any, *, as_json: bool) -> None:
    """Print kept answers as a table."""
    if as_json:
        out(json_text(list(answers)))
        return
    if not answers:
        out('No answer is stored yet. Ask something first: hydra-kg ask "…"')
        return
    rows = [
        (k["id"], k["created"][:16].replace("T", " "), k["verdict"], cut(k["question"], 60), cut(k["answer_text"], 40))
        for k in answers
    ]
    out_all(table([("id", "date (UTC)", "verdict", "question", "answer"), *rows]))


def print_answer(doc: Mapping[str, Any], *, why: bool, paths: int, verbose: bool, at: str = "") -> None:
    """Print a kept answer with its explorations."""
    from hydra_kg.cli.printing import answer_lines, class_lines, exploration_lines

    out(f"Q: {clean(doc['question'])}")
    out(f"   {clean(doc['id'])} · strategy {clean(doc['strategy'])} · agent {clean(doc['agent'])}")
    out()
    out_all(answer_lines(doc, verbose=verbose, plan=True, at=at))
    out_all(class_lines(doc) if why else ())
    out_all(exploration_lines(doc, why=why, show_paths=paths, verbose=verbose))

"""Define ``hydra-kg demo``: load the bundled sample, ask it questions, and show what to try next.

It needs no key and no network.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.options import agent_option, chosen_agent, debug_option, settings_from, store_option
from hydra_kg.cli.terminal import note, out, out_all, warn
from hydra_kg.errors import UsageError
from hydra_kg.events import ignore
from hydra_kg.text.plain_text import clean
from hydra_kg.util.source_code import sha256_of

if TYPE_CHECKING:
    from hydra_kg.client import Hydra

FILES = ("corner/freebase.nt.gz", "corner/wikidata.nt.gz", "corner/fb2w.nt.gz", "corner/passages.jsonl")
ABOUT = """\
The demonstration knows 225 things from Freebase and Wikidata, and short texts about 142 of them:
  films      100 films that Steven Spielberg, Christopher Nolan, Peter Jackson, James Cameron or Pixar made, or in
             which Tom Hanks, Leonardo DiCaprio or Kate Winslet act: director, cast, music, genre, release, awards
  people     60 film makers, musicians, scientists, writers and others, from Jane Austen to Barack Obama: birth,
             profession, education, marriage, awards, works
  countries  43, nearly all of Europe, also Japan, Egypt, Argentina and South Africa: capital, population, area,
             languages, neighbours, form of government
  others     the Beatles, Queen and Radiohead; Google, Apple, Pixar and IBM; Harvard, Stanford, Princeton and
             Cambridge; FC Barcelona, Liverpool F.C. and the Chicago Bulls; Berlin, Vienna, Cairo, Liverpool, Hawaii
Facts are as old as the sources: 2015 for Freebase. Where a fact is missing, the answer says so."""
KINDS = ("one-hop", "both-sources", "value", "unanswerable", "two-hop", "two-topic")
"""Kinds of the sample's questions in the order in which they are asked: from one hop to paths of several."""


@click.command()
@store_option
@agent_option
@debug_option
def demo(*, store: str, agent: str) -> None:
    """Load the bundled sample and ask it a few questions.

    The sample has real facts of Freebase and Wikidata and short passages about 225 well known entities. It is loaded
    into a store of its own unless --store says otherwise; a second run loads nothing again.
    """
    from hydra_kg.client import Hydra
    from hydra_kg.stores import demo_store, is_server, is_store, store_path

    settings = settings_from(writes=True)
    # Not HYDRA_STORE: a demonstration does not add to the store somebody works with.
    if is_server(store):
        remedy = f"To see it on a server: hydra-kg demo, then hydra-kg db copy {demo_store()} {store}"
        raise UsageError("The demonstration needs a folder, not a server.", remedy=remedy)
    place = Path(store) if store else demo_store()
    # What is typed next needs no --store as long as there is no other store (see settings_from).
    alone = not store and not settings.store and not is_store(store_path())
    at = "" if alone else f" --store {shlex.quote(str(place))}"
    questions = _questions()
    with Hydra(store=place, settings=settings, agent=chosen_agent(agent, settings), warn=warn) as hydra:
        _load(hydra, place, own=not store)
        out_all(ABOUT.splitlines())
        out("")
        shown = [(_ask(hydra, q["question"], at), q["question"]) for q in questions]
    out("How to go on", bold=True)
    if shown:
        key = clean(shown[0][0])
        out("  Every answer is stored, with all paths that were found and pruned:")
        out(f"    hydra-kg show{at}")
        out(f"    hydra-kg show {key} --why{at}")
        out(f"    hydra-kg show {key} --html answer.html{at}     (the explored graph, drawn)")
    out("  Ask something of your own:")
    out(f'    hydra-kg ask "who directed forrest gump?"{at}')
    out("  Load your own data (Freebase, Wikidata, same-as links, passages):")
    out("    hydra-kg load FILE...")


def _questions() -> list[dict[str, Any]]:
    """Return the demonstration's question of each kind, in the order of `KINDS`."""
    from hydra_kg.util.package_data import find_content

    lines = find_content("sample", "questions.jsonl").read_text("utf-8").splitlines()
    return sorted(
        (q for q in map(json.loads, filter(None, lines)) if q.get("demo")), key=lambda q: KINDS.index(q["kind"])
    )


def _load(hydra: Hydra, place: Path, *, own: bool) -> None:
    """Load missing parts of the sample. Raise UsageError for a store with other data.

    ``own``: whether to replace an older sample.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores import is_store
    from hydra_kg.util.package_data import find_content

    sample = {sha256_of(file): file for file in (find_content("sample", name) for name in FILES)}
    loads = [load for load in hydra.store.loads() if load["state"] == "ready"] if is_store(hydra.path) else []
    there = {load["name"]: {f["sha256"] for f in load["details"].get("files", ())} for load in loads}
    if not own and (others := sorted(name for name, sums in there.items() if not sums & set(sample))):
        raise UsageError(
            f"{place} contains other data than the sample ({', '.join(others)}).",
            remedy="Leave --store out, or name a folder that does not exist yet.",
        )
    missing = [file for checksum, file in sample.items() if not any(checksum in sums for sums in there.values())]
    if not missing:
        note(f"The sample is loaded already, in {place}.")
        return
    note(f"Loading the sample into {place}")
    with progress() as listener:
        hydra.listener = listener
        hydra.load(*missing, replace=own)
    hydra.listener = ignore


def _ask(hydra: Hydra, question: str, at: str) -> str:
    """Ask a question, print it with its answer, and return the id."""
    from hydra_kg.cli.printing import answer_lines
    from hydra_kg.serialise import answer_json

    answer = hydra.ask(question, keep=False)
    doc = answer_json(answer)
    out(f'$ hydra-kg ask "{clean(question)}" --agent {hydra.agent}{at}', bold=True)
    out_all(answer_lines(doc, at=at))
    hydra.traces.save(doc)
    return answer.id

"""Define ``hydra-kg sources flip`` and ``discard``: use or remove a waiting load, and show how it differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli import completing
from hydra_kg.cli.curation.saved import tell_changes
from hydra_kg.cli.options import common_options, done_before, settings_from, store_with, yes_option
from hydra_kg.cli.terminal import confirm_or_abort, json_text, number, out, table
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.stores.embedded.operations.abilities import Holdable


@click.command("flip")
@click.argument("name", shell_complete=completing.sources)
@yes_option
@common_options
def flip_source(name: str, *, yes: bool, store: str, as_json: bool) -> None:
    """Switch to a load made with load --hold: it replaces the one of the same name in one step."""
    from hydra_kg.stores.embedded.operations.pending_load import flip_pending

    if not yes:
        tell_changes(store, flip=name)
        confirm_or_abort(f"Replace {clean(name)} by the waiting load?", remedy="Switch to it with `--yes`.")
    with done_before(as_json=as_json):
        done = _change_store(store, lambda opened: flip_pending(opened, name))
    out(json_text(done) if as_json else f"{clean(name)} is now the newer load: {number(done['facts'])} facts.")


@click.command("discard")
@click.argument("name", shell_complete=completing.sources)
@yes_option
@common_options
def discard_source(name: str, *, yes: bool, store: str, as_json: bool) -> None:
    """Remove a load made with load --hold; the one in use stays."""
    from hydra_kg.stores.embedded.operations.pending_load import discard_pending

    if not yes:
        confirm_or_abort(f"Remove the waiting load of {clean(name)}?", remedy="Remove it with `--yes`.")
    with done_before(as_json=as_json):
        done = _change_store(store, lambda opened: discard_pending(opened, name))
    out(
        json_text(done) if as_json else f"The waiting load of {clean(name)} was removed: {number(done['facts'])} facts."
    )


def compare_waiting_load(store: str, name: str) -> Mapping[str, Any]:
    """Return how the waiting load of a name differs from the one in use; progress on stderr."""
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores.embedded.operations.pending_load import pending_difference

    with progress() as listener:
        return _change_store(store, lambda opened: pending_difference(opened, name, listener=listener))


def difference_lines(load: Mapping[str, Any], doc: Mapping[str, Any]) -> Iterator[str]:
    """Yield the difference as tables."""
    name = clean(load["name"])
    yield f"A newer load waits: {number(load['facts'])} facts, begun {load['created']}."
    if doc.get("old") is None:
        yield "Nothing of that name is in force to compare it with."
    else:
        rows: list[tuple[object, ...]] = [("", "only in force", "only newer", "both")]
        for what in ("facts", "entities", "names", "descriptions", "same_as", "passages"):
            rows.append((what.replace("_", "-"), *_three(doc[what])))
        yield from table(rows, right=(1, 2, 3))
        yield from _predicates(doc)
        for what, entities in (("gone", doc["entities"]["gone"]), ("new", doc["entities"]["new"])):
            if entities:
                shown = ", ".join(f"{clean(e['name'] or e['id'])} ({clean(e['id'])})" for e in entities)
                yield f"{what}, the greatest: {shown}"
    yield f"hydra-kg sources flip {name} switches to it, sources discard {name} removes it."


def _predicates(doc: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that say which relations have more or fewer facts."""
    if not doc["predicates"]:
        return
    listed, differing = len(doc["predicates"]), doc["predicates_differing"]
    more = f" (the {listed} with most of {number(differing)})" if differing > listed else ""
    yield f"predicates that differ{more}:"
    rows: list[tuple[object, ...]] = [("predicate", "only in force", "only newer", "both", "for example")]
    for row in doc["predicates"]:
        example = row.get("new_example") or row.get("old_example") or ""
        rows.append((row["predicate"], *_three(row), example[:60]))
    yield from table(rows, right=(1, 2, 3), indent="  ")


def _three(counts: Mapping[str, Any]) -> list[str]:
    return [number(counts[name]) for name in ("old_only", "new_only", "common")]


def _change_store(store: str, do: Callable[[Holdable], Mapping[str, Any]]) -> Mapping[str, Any]:
    from hydra_kg.stores.embedded.operations.abilities import Holdable

    remedy = "Load it into a store in a folder, compare there, then hydra-kg db copy --replace."
    with store_with(Holdable, settings_from(store=store).store, "A Neo4j server holds no loads.", remedy) as opened:
        return do(opened)

"""Define ``hydra-kg sources``: what is loaded, how its lines were reconciled, and how to drop it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli import completing
from hydra_kg.cli.citing import line_of_source
from hydra_kg.cli.curation.saved import tell_changes
from hydra_kg.cli.loading.pending_load import compare_waiting_load, difference_lines, discard_source, flip_source
from hydra_kg.cli.options import common_options, done_before, settings_from, yes_option
from hydra_kg.cli.terminal import confirm_or_abort, cut, json_text, number, out, out_all, table
from hydra_kg.errors import NotFoundError
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.stores.page_cache import SqlitePageCache


_SHOWN = 30
"""Most files that are listed by name; of more, the folders are listed."""


@click.command("trust")
@yes_option
@common_options
def trust_files(*, yes: bool, store: str, as_json: bool) -> None:
    """Let a store of your own show lines of the files that it names.

    Use it for a store that was loaded on another machine or by an older version; your own loads do not need it. The
    files are listed first, because a store from a stranger may name any file of this machine.
    """
    from hydra_kg.ingest.loaded_files import LoadedFiles, files_of
    from hydra_kg.stores import open_store

    with closing(open_store(settings_from(store=store).store)) as opened:
        files = files_of(opened.loads())
    record = LoadedFiles()
    unknown = record.unknown(files)
    if unknown and not yes:
        paths = [f"{file['folder']}/{file['name']}" for file in unknown]
        folders = Counter(str(file["folder"]) for file in unknown)
        many = [f"{folder} ({number(count)} files)" for folder, count in folders.items()]
        click.echo("This store names files that no load of yours on this machine has read:", err=True)
        for line in paths if len(paths) <= _SHOWN else many:
            click.echo(f"  {clean(line)}", err=True)
        confirm_or_abort("Show lines of them where they are cited?", remedy="Trust them with `--yes`.")
    trusted = record.record(unknown)
    if as_json:
        out(json_text({"trusted": trusted, "files": len(files)}))
    elif trusted:
        out(f"Lines of {number(trusted)} files are shown from now on, as long as the files are what was loaded.")
    else:
        out("There is nothing to trust: every file that this store names a place for is one that you loaded.")


@click.group()
def sources() -> None:
    """List, show and drop sources; say what depends on them."""


@sources.command("list")
@common_options
def list_sources(*, store: str, as_json: bool) -> None:
    """List the loads of a store with their sources, kind, state, facts and size."""
    loads = [load for load in _loads(store) if load["state"] != "dropped"]
    if as_json:
        out(json_text(loads))
        return
    if not loads:
        out("Nothing is loaded yet. Load something: hydra-kg load FILE")
        return
    rows = [("source", "kind", "state", "facts", "size", "loaded (UTC)", "licence")]
    for load in loads:
        state = _state(load)
        for i, s in enumerate(load["sources"]):
            size = (number(load["facts"]), bytes_text(load["bytes"])) if i == 0 else ("", "")
            when = str(load["flipped"] or load["created"])[:16].replace("T", " ")
            rows.append((s["name"], s["kind"], state, *size, when, s["licence"]))
    out_all(table(rows, right=(3, 4)))


@sources.command("show")
@click.argument("name", shell_complete=completing.sources)
@common_options
def show_source(name: str, *, store: str, as_json: bool) -> None:
    """Show one source: where it came from and what became of every line.

    Lines read are lines used, dropped by a named rule, rejected with a reason, or duplicates. If a newer load of that
    name waits (load --hold), also shows how it differs from the one in use.
    """
    from hydra_kg.cli.loading.reconciliation import reconciliation_lines
    from hydra_kg.stores import store_path

    loads = _loads(store)
    load = _find(name, loads)
    pending = [other for other in loads if other.get("held") and other["name"] == load["name"]]
    differing = compare_waiting_load(store, load["name"]) if pending else {}
    if as_json:
        out(json_text({**load, **({"waiting": pending[-1], "difference": differing} if pending else {})}))
        return
    for s in load["sources"]:
        fields = [(k, s[k]) for k in ("name", "kind", "origin", "licence", "version", "url", "checksum") if s[k]]
        out_all(table(fields))
        out()
    more = [
        ("load", load["id"]),
        ("state", _state(load)),
        ("facts", number(load["facts"])),
        ("size", bytes_text(load["bytes"])),
        ("created", load["created"]),
    ]
    details = load["details"]
    if load["state"] == "kept":
        more = [*more[1:], ("expires", details["expires"])]
    out_all(table(more))
    if load["state"] == "kept":
        out()
        for hop in _trace_store(store).hops(name):
            out(clean(f"{hop['subject']} — {hop['phrase']} → {hop['object']} [{hop['start']}:{hop['end']}]"))
        return
    if details:
        out()
        out_all(reconciliation_lines(details))
    if details.get("rejects"):
        folder = store_path(settings_from(store=store).store) / "loads" / load["id"]
        out(f"rejected lines: {clean(folder / details['rejects'])}")
    if pending:
        out()
        out_all(difference_lines(pending[-1], differing))


@sources.command("drop")
@click.argument("name", shell_complete=completing.sources)
@yes_option
@common_options
def drop_source(name: str, *, yes: bool, store: str, as_json: bool) -> None:
    """Drop a source: nothing of it is visible from that moment on, everything else stays as it is.

    NAME may be the address of a page that ask --keep-web stored.
    """
    from hydra_kg.stores import open_store

    found = _find_load(name, _loads(store))
    if not yes and found is not None:
        tell_changes(store, drop=name)
        confirm_or_abort(f"Drop {clean(name)} ({number(found['facts'])} facts)?", remedy="Drop it with `--yes`.")
    if found is not None and found["state"] == "kept":
        counts = _trace_store(store).drop(name)
        out(json_text(dict(counts)) if as_json else f"Dropped the stored page {clean(name)}.")
        return
    with closing(open_store(settings_from(store=store).store)) as opened, done_before(as_json=as_json):
        counts = opened.drop(name)
    out(json_text(dict(counts)) if as_json else f"Dropped {clean(name)}: {number(counts.get('facts', 0))} facts.")


@sources.command("impact")
@click.argument("name", shell_complete=completing.sources)
@common_options
def impact_of_source(name: str, *, store: str, as_json: bool) -> None:
    """Say which stored answers used a source, and which would lose their only support without it.

    This also works for a source that was dropped: these answers are worth asking again.
    """
    from hydra_kg.client import Hydra
    from hydra_kg.stores.impact import impact

    with Hydra(settings=settings_from(store=store)) as hydra:
        loaded = any(load["state"] != "dropped" and name in _names(load) for load in hydra.store.loads())
        doc = {**impact(hydra.traces, name), "loaded": loaded}
    if not loaded and not doc["questions"]:
        raise NotFoundError(
            f"No source is called {name}, and no stored answer used one.",
            remedy="hydra-kg sources list shows all names.",
        )
    if as_json:
        out(json_text(doc))
        return
    counts = doc["counts"]
    gone = "" if loaded else " (not loaded any more)"
    if not doc["questions"]:
        out(f"{clean(name)}{gone}: no stored answer uses it.")
        return
    out(
        f"{clean(name)}{gone}: {number(counts['questions'])} answers use {number(counts['facts'])} of its facts. "
        f"Without it {number(counts['lost'])} would lose their only support, {number(counts['weakened'])} a part of it."
    )
    rows = [("id", "date (UTC)", "facts", "would lose", "question", "answer")]
    for q in doc["questions"]:
        lost = "all" if q["loses"] and not q["keeps"] else ", ".join(map(clean, q["loses"]))
        when = str(q["created"])[:16].replace("T", " ")
        asked, answered = cut(q["question"], 50), cut(q["answer_text"] or "none", 50)
        rows.append((q["id"], when, number(q["facts"]), cut(lost or "nothing", 50), asked, answered))
    out_all(table(rows, right=(2,)))


sources.add_command(line_of_source)
sources.add_command(trust_files)
sources.add_command(flip_source)
sources.add_command(discard_source)


def _state(load: Mapping[str, Any]) -> str:
    if load["state"] != "staging":
        return str(load["state"])
    return "held" if load.get("held") else "loading" if load.get("running") else "unfinished"


def _names(load: Mapping[str, Any]) -> set[str]:
    return {load["name"], *(s["name"] for s in load["sources"])}


def _loads(store: str) -> list[Mapping[str, Any]]:
    from hydra_kg.stores import open_store

    with closing(open_store(settings_from(store=store).store)) as opened:
        return [*opened.loads(), *_trace_store(store).as_loads(now=datetime.now(UTC))]


def _trace_store(store: str) -> SqlitePageCache:
    from hydra_kg.stores import store_path
    from hydra_kg.stores.page_cache import FILE, SqlitePageCache

    return SqlitePageCache(store_path(settings_from(store=store).store) / FILE)


def _find_load(name: str, loads: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the ready load with that name or a source of that name, else a kept page or an unfinished load."""
    for state in ("ready", "kept", "staging"):
        for load in loads:
            if load["state"] == state and name in _names(load):
                return load
    return None


def _find(name: str, loads: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the result of ``_found``. Raise NotFoundError if there is none."""
    if (load := _find_load(name, loads)) is not None:
        return load
    raise NotFoundError(f"No load or source is called {name}.", remedy="hydra-kg sources list shows all names.")

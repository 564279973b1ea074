"""Print what ``load --bulk`` adds: what both ways take, which one is chosen, and what to run at another server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hydra_kg.cli.progress import clock
from hydra_kg.cli.terminal import note, number
from hydra_kg.events import Event, Listener
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean


def listening(listener: Listener, events: list[Event]) -> Listener:
    """Return a listener that reports the chosen way and resumed steps at once, and collects events for the report."""

    def listen(event: Event) -> None:
        if event.kind in ("load.ways", "load.command"):
            events.append(event)
            for line in way_lines(event.data) if event.kind == "load.ways" else ():
                note(line)
        elif event.kind == "load.resume":
            done = ", ".join(map(clean, event.data["before"]))
            note(f"{clean(event.data['load'])}: goes on where an earlier run stopped, which had done: {done}")
        elif event.kind != "load.skipped":  # a warning has named that file
            listener(event)

    return listen


def way_lines(ways: Mapping[str, Any]) -> Iterator[str]:
    """Yield both ways with time and disk, and why one of them is chosen."""
    for way, what in (("import", "all that is there again, with what is new"), ("online", "only what is new")):
        expected = ways[way]
        here = "  <- taken" if way == ways["chosen"] else ""
        possible = "" if expected.get("possible", True) else " (not possible: too much would have to be read back)"
        yield (
            f"  --bulk-way {way}: {what}: about {clock(expected['seconds'])} on top of reading the files, "
            f"{bytes_text(expected['bytes'])} of disk{possible}{here}"
        )
    if ways["read_back"]:
        yield f"  {number(ways['read_back'])} facts have no stage here; an import reads them back from the server"


def command_lines(bulk: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to run on the server's machine, and here afterwards."""
    if command := bulk.get("command"):
        yield f"The files of an import are in {command['folder']}. Stop the server, and run there:"
        yield f"  {command['command']}"
        yield "It replaces the whole database. Then start the server, and run here:"
        yield f"  {command['after']}"

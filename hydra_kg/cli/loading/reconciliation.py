"""Show what became of every line of a load (read = kept + dropped + rejected + duplicates), and what --bulk adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hydra_kg.cli.progress import clock
from hydra_kg.cli.terminal import note, number
from hydra_kg.events import Event, Listener
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean


def reconciliation_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of lines read, kept, dropped, rejected and duplicated.

    ``report`` is the result of a load, or the details that the store keeps with it. Yield nothing if it has no counts.
    """
    if not report.get("read"):
        return
    total = int(report["read"])
    rows: list[tuple[str, str, str]] = [(f"{clean(report.get('unit') or 'lines')} read", number(total), "")]
    for name in ("kept", "dropped", "rejected", "duplicates"):
        parts: Mapping[str, int] = report.get(name) or {}
        rows.append((f"  {name}", number(sum(parts.values())), _share(sum(parts.values()), total)))
        rows += [
            (f"    {clean(reason)}", number(n), _share(n, total))
            for reason, n in sorted(parts.items(), key=lambda p: (-p[1], p[0]))
        ]
    # table() strips what stands before a text; the indentation is meant here.
    widths = [max(len(r[i]) for r in rows) for i in range(3)]
    for name, n, share in rows:
        yield f"{name.ljust(widths[0])}  {n.rjust(widths[1])}  {share.rjust(widths[2])}".rstrip()


def load_lines(load: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about one load of a report: what was loaded, or what a dry run would load."""
    files = ", ".join(clean(f["name"]) for f in load["files"])
    yield f"{clean(load['name'])} (format {clean(load['format'])}) from {files}"
    if expected := load.get("forecast"):
        scratch, store = bytes_text(expected["bytes_scratch"]), bytes_text(expected["bytes_store"])
        if "passes" in expected:
            yield (
                f"  about {number(int(expected['lines']))} lines, read {expected['passes']} times in"
                f" {clock(expected['seconds'])}; up to {scratch} of disk while that lasts"
            )
            return
        unit = clean(load.get("unit") or "lines")
        yield f"  about {number(int(expected['lines']))} {unit} in {clock(expected['seconds'])}"
        yield f"  about {store} of disk, and {scratch} more while it loads"
        return
    if load.get("already"):
        yield "  already loaded from the same files with the same options; nothing was done. --replace loads it again"
        return
    for line in reconciliation_lines(load):
        yield f"  {line}"
    streams = ("links", "values", "names", "passages", "same_as", "nodes", "mediators")
    yield "  stored: " + ", ".join(f"{number(load[k])} {k.replace('_', '-')}" for k in streams if load[k])
    for name, n in load["notes"].items():
        yield f"  {clean(name)}: {number(n)}"
    if load["resumed"]:
        yield f"  taken up after an earlier run, which had done: {', '.join(map(clean, load['resumed']))}"
    if load["rejects"]:
        yield f"  rejected lines are listed in a file: hydra-kg sources show {clean(load['name'])}"


def _share(amount: int, total: int) -> str:
    return f"{100 * amount / total:.1f} %" if total else ""


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

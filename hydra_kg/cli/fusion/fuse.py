"""Define ``hydra-kg fuse``: which values are believed if sources differ, who states them, and whom to trust."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.options import common_options, file_option, settings_from
from hydra_kg.cli.private_files import create_shared_files
from hydra_kg.cli.terminal import json_text, note, number, out, out_all, table
from hydra_kg.text.plain_text import clean
from hydra_kg.text.quoting import disarm_formula

if TYPE_CHECKING:
    from hydra_kg.fusion.conflicts.fuse import Fused, Group
    from hydra_kg.fusion.gathering.store_claims import ClaimStatement
    from hydra_kg.ports import Snapshot


SHOWN = 20
"""Most contested groups of a whole store that are printed, and most rows of other long tables."""

COLUMNS = ("id", "entity", "attribute", "when", "value", "confidence", "believed", "for", "against", "conflict")
_BATCH = 2_000


@click.command(
    short_help="Say which values to believe where sources differ.",
    epilog='Example: hydra-kg fuse "AA-1007-TPA-MIA" --attribute "departure gate" --explain',
)
@click.argument("entity", required=False, default="")
@click.option("--attribute", default="", metavar="A", help="Only this attribute, in words; default: all.")
@click.option(
    "--method",
    default="",
    metavar="M",
    show_default="the best measured",
    help="How to judge; an unknown name lists all.",
)
@click.option("--explain", is_flag=True, help="Print the place of every statement.")
@file_option("--export", text="Write every value of every group: .jsonl, .csv or tab separated.")
@file_option(
    "--table",
    "whole_table",
    text="Write one row per entity, with the believed value and its sources in each cell: .csv, .parquet or .html.",
)
@common_options
def fuse(
    *,
    entity: str,
    attribute: str,
    method: str,
    explain: bool,
    export: Path | None,
    whole_table: Path | None,
    store: str,
    as_json: bool,
) -> None:
    """Fuse what the sources say about ENTITY (a name or an id), or about everything.

    For every attribute: the values, how probable they are, which are believed, who states them and who differs. A
    conflict is named (value, time, entity, granularity). Then the sources with their reliability, which is learned from
    what is fused: one entity says little about it, the whole store more.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.fusion.conflicts.entity_fusion import fuse_attribute, fuse_entity, judge_by_entity
    from hydra_kg.fusion.truth_discovery.methods import method_named
    from hydra_kg.fusion.truth_discovery.source_history import FILE, History, state
    from hydra_kg.stores import open_store, store_path

    settings = settings_from(store=store)
    with ExitStack() as stack:
        opened = stack.enter_context(closing(open_store(settings.store)))
        records = History(store_path(settings.store) / FILE).records()
        chosen = method_named(method, records=records)
        snapshot = stack.enter_context(opened.snapshot())
        stated: Sequence[ClaimStatement] = ()
        if entity:
            fused, stated = fuse_entity(snapshot, entity, chosen, attribute=attribute)
        else:
            with progress() as listener:
                fused = fuse_attribute(snapshot, chosen, attribute=attribute, listener=listener)
        if export is not None:
            from hydra_kg.cli.fusion.fuse import write

            with create_shared_files():
                count = write(export, fused, snapshot)
            note(f"Wrote {number(count)} values to {export}.")
        if whole_table is not None:
            from hydra_kg.cli.fusion.fuse_table import write_table

            with create_shared_files():
                count = write_table(whole_table, fused, snapshot)
            note(f"Wrote {number(count)} rows to {whole_table}.")
        past = state(records)
        judged = fused.groups() if entity else judge_by_entity(snapshot, fused.hardest(SHOWN), chosen)
        groups = [group for group in judged if group is not None]
        _show(fused, groups, snapshot, stated, past, whole=not entity, explain=explain, as_json=as_json)


def _show(
    fused: Fused,
    groups: Sequence[Group],
    snapshot: Snapshot,
    stated: Sequence[ClaimStatement],
    past: Mapping[str, Any],
    *,
    whole: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Print the groups of values, and which values are believed."""
    from hydra_kg.fusion.conflicts.entity_fusion import document
    from hydra_kg.fusion.conflicts.fuse import across

    kinds = fused.conflicts()
    total = len(fused.reading.claims.keys)
    between = across(groups) if not whole else []
    kinds.update(str(conflict.kind) for _, conflict in between)
    by_id = {e.node.id: e.node for e in snapshot.entities(sorted({g.entity for g in groups}))}
    if as_json:
        doc = document(fused, groups, by_id, kinds, stated if explain else ())
        out(json_text({**doc, "history": past}))
        return
    if not total:
        out("No source states anything of that kind.")
        return
    if not whole and (several := len({g.entity for g in groups})) > 1:
        out(f"{several} entities have that name; each is shown on its own.")
    if groups:
        out("* marks believed values. The numbers are the probability of a value and how many sources state it.")
    for g in groups:
        out_all(_group_lines(g, by_id[g.entity], fused, stated if explain else ()))
    conflicts = ", ".join(f"{number(n)} by {kind}" for kind, n in sorted(kinds.items())) or "none"
    out()
    for attribute, conflict in between:
        out(f"{clean(attribute)}: {clean(conflict.sentence)}")
    claims = f"{number(len(fused.reading.claims))} claim{'s' * (len(fused.reading.claims) != 1)}"
    out(f"{claims} in {number(total)} group{'s' * (total != 1)}; conflicts: {conflicts}; method {fused.method}.")
    out_all(_source_lines(fused))
    for names in fused.copies():
        out(f"These hardly ever differ, mistakes included, as copies do: {', '.join(map(clean, names))}.")


def _group_lines(group: Group, node: Any, fused: Fused, stated: Sequence[ClaimStatement]) -> Iterator[str]:
    """Yield the lines of one group: its values, their sources and the conflict."""
    when = ", ".join(f"{k} {v}" for k, v in group.when)
    yield ""
    yield f"{clean(node.name)} ({clean(node.key)}) — {clean(group.attribute)}{f' ({clean(when)})' if when else ''}"
    rows = [
        ("*" if v.believed else "", v.text, f"{v.probability:.2f}", f"{len(v.sources)}", _names(v.sources))
        for v in group.values
    ]
    yield from table(rows, right=(2, 3), indent="  ")
    if group.conflict is not None:
        yield f"  {clean(group.conflict.sentence)}"
    if stated:
        own = [
            s for s in stated if s.entity == group.entity and s.attribute == group.attribute and s.when == group.when
        ]
        yield from table([(s.fact.source.name, s.value.name, str(s.fact.locator)) for s in own], indent="    ")


def _names(sources: Sequence[str]) -> str:
    more = f" and {len(sources) - 8} more" if len(sources) > 8 else ""
    return ", ".join(sources[:8]) + more


def _source_lines(fused: Fused) -> list[str]:
    rows: list[Sequence[object]] = [("source", "reliability", "claims")]
    known = fused.reliability
    rows += [(name, f"{r:.2f}", number(n)) for name, (r, n) in list(known.items())[:50]]
    lines = table(rows, right=(1, 2))
    return [*lines, f"… and {len(known) - 50} more"] if len(known) > 50 else lines


def write(path: Path, fused: Fused, snapshot: Snapshot) -> int:
    """Write all values and return their number. No cell of a table begins with a formula for a spreadsheet."""
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        if path.suffix == ".jsonl":
            for row in _rows(fused, snapshot):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
            return count
        writer = csv.writer(file, dialect="excel" if path.suffix == ".csv" else "excel-tab")
        writer.writerow(COLUMNS)
        for row in _rows(fused, snapshot):
            cells = (row[name] for name in COLUMNS)
            writer.writerow([disarm_formula("; ".join(c) if isinstance(c, list) else c) for c in cells])
            count += 1
    return count


def _rows(fused: Fused, snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    groups = fused.groups()
    while some := list(islice(groups, _BATCH)):
        yield from _export_groups(some, snapshot)


def _export_groups(groups: Sequence[Group], snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    """Yield one row for each value of each group."""
    known = {e.node.id: e.node for e in snapshot.entities(sorted({g.entity for g in groups}))}
    for g in groups:
        node = known[g.entity]
        everyone = {s for v in g.values for s in v.sources}
        for v in g.values:
            yield {
                "id": node.key,
                "entity": node.name,
                "attribute": g.attribute,
                "when": "; ".join(f"{k} {t}" for k, t in g.when),
                "value": v.text,
                "confidence": v.probability,
                "believed": v.believed,
                "for": list(v.sources),
                "against": sorted(everyone - set(v.sources)),
                "conflict": g.conflict.kind if g.conflict else "",
            }

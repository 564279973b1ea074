"""Write the file of ``fuse --table``: one row a thing, with the believed values and who states them."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.text.quoting import disarm_formula

if TYPE_CHECKING:
    from hydra_kg.fusion.conflicts.fuse import Fused, Group
    from hydra_kg.ports import Snapshot

MOST: Final = 500
"""Most attributes that become columns: those that most things have."""

SHOWN: Final = 300
"""Most rows of a page."""

_BATCH: Final = 2_000
_FIXED: Final = ("id", "entity", "when")


def write_table(path: Path, fused: Fused, snapshot: Snapshot) -> int:
    """Write .csv, .parquet or .html (:data:`SHOWN` rows, all values); return the row count. Raise UsageError."""
    names = _attributes(fused)
    ending = path.suffix.casefold()
    if ending == ".html":
        return _page(path, fused, snapshot, names)
    if ending not in {".csv", ".parquet"}:
        raise UsageError(f"{path.name} is not a table.", remedy="Name it .csv, .parquet or .html.")
    if ending == ".csv":
        return _csv(path, fused, snapshot, names, safe=True)
    from hydra_kg.quiet_dependencies import connect_duckdb
    from hydra_kg.text.quoting import sql_path

    with tempfile.TemporaryDirectory(prefix="hydra-kg-") as folder, connect_duckdb(threads=2) as db:
        rows = Path(folder) / "table.csv"
        count = _csv(rows, fused, snapshot, names, safe=False)
        db.execute(
            f"COPY (FROM read_csv({sql_path(rows)}, all_varchar = true, header = true, delim = ',', quote = '\"',"
            f" escape = '\"', max_line_size = 100000000)) TO {sql_path(path)} (FORMAT parquet)"
        )
    return count


def _csv(path: Path, fused: Fused, snapshot: Snapshot, names: Sequence[str], *, safe: bool) -> int:
    """Write the table as CSV and return the number of rows."""
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        out = csv.writer(file)
        out.writerow([*_FIXED, *(column for name in names for column in (name, f"{name}: said by"))])
        for fixed, groups in _rows(fused, snapshot):
            cells = [*fixed, *(cell for name in names for cell in _cell(groups.get(name)))]
            out.writerow(map(disarm_formula, cells) if safe else cells)
            count += 1
    return count


def _page(path: Path, fused: Fused, snapshot: Snapshot, names: Sequence[str]) -> int:
    """Write the table as an HTML page and return the number of rows."""
    from hydra_kg.pages.rendering import render_clean

    rows = []
    for fixed, groups in islice(_rows(fused, snapshot), SHOWN):
        cells = [_describe_group(groups.get(name)) for name in names]
        rows.append({"id": fixed[0], "entity": fixed[1], "when": fixed[2], "cells": cells})
    values: dict[str, Any] = {
        "title": "Believed values and their sources",
        "names": names,
        "rows": rows,
        "total": len(set(fused.reading.claims.keys)),
        "sources": [(name, f"{r:.2f}", n) for name, (r, n) in fused.reliability.items()],
        "conflicts": sorted(fused.conflicts().items()),
        "copies": fused.copies(),
        "method": fused.method,
    }
    path.write_text(render_clean("fused_table.html.j2", values) + "\n", "utf-8")
    return len(rows)


def _attributes(fused: Fused) -> list[str]:
    often = Counter(attribute for _, attribute in fused.reading.claims.keys)
    return sorted(sorted(often, key=lambda name: (-often[name], name))[:MOST])


def _rows(fused: Fused, snapshot: Snapshot) -> Iterator[tuple[tuple[str, str, str], dict[str, Group]]]:
    """Yield things in the order of their keys: id, name and circumstances, and their groups by attribute."""
    keys = fused.reading.claims.keys
    order = sorted(range(len(keys)), key=keys.__getitem__)
    things = ((key, [fused.group(n) for n in own]) for key, own in groupby(order, key=lambda n: keys[n][0]))
    while some := list(islice(things, _BATCH)):
        nodes = {e.node.id: e.node for e in snapshot.entities(sorted({g[0].entity for _, g in some}))}
        for _, groups in some:
            node = nodes[groups[0].entity]
            when = "; ".join(f"{k} {t}" for k, t in groups[0].when)
            yield (node.key, node.name, when), {g.attribute: g for g in groups}


def _cell(group: Group | None) -> tuple[str, str]:
    """Return the believed values, separated by semicolons, and who states them."""
    if group is None:
        return "", ""
    said = [(v.text, ", ".join(v.sources)) for v in group.answer]
    return "; ".join(text for text, _ in said), "; ".join(who for _, who in said)


def _describe_group(group: Group | None) -> dict[str, Any]:
    """Return the cell of a group: believed values, sources, other values and the conflict."""
    text, who = _cell(group)
    others = [f"{v.text} ({', '.join(v.sources)})" for v in group.values if not v.believed] if group else []
    return {
        "text": text,
        "who": who,
        "others": others,
        "why": group.conflict.sentence if group and group.conflict else "",
    }

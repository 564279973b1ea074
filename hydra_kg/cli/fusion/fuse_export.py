"""Write the file of ``fuse --export``: a row for every value of every group.

The format is JSON lines, CSV or tab-separated text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra_kg.text.quoting import disarm_formula

if TYPE_CHECKING:
    from hydra_kg.fusion.conflicts.fuse import Fused, Group
    from hydra_kg.ports import Snapshot

COLUMNS = ("id", "entity", "attribute", "when", "value", "confidence", "believed", "for", "against", "conflict")
_BATCH = 2_000


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

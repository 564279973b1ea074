"""Account for every line of a load: read = kept + dropped by rule + rejected by reason + duplicates, exactly."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, fields, replace
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import LoadError
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.staging.sorting import Prepared
from hydra_kg.util.fast_dataclass import dataclass

REJECTS: Final = "rejects.tsv.gz"

_KINDS: Final = {"name": "names", "alias": "aliases", "description": "descriptions", "title": "titles"}
_WINDOW: Final = 100_000


@dataclass(frozen=True, slots=True)
class LoadResult:
    """One load that was written or, with ``dry_run``, forecast.

    ``read`` is the number of lines, which is the sum of all numbers of the first four mappings.

    Attributes:
        kept: Lines by stream.
        dropped: Lines by rule. ``blank`` is for empty lines and comments.
        rejected: Lines by reason.
        duplicates: Lines by stream. Of equal lines the first one is loaded.
        links … same_as: Rows that readers see.
        notes: Counts among the kept lines, such as facts turned by the rule ``reverse``.
        described: What the loader took the files for.
        choices: What a person chose for the loader.
        rejects: The file that lists each rejected line.
        files: Name, folder ("" for standard input), bytes, lines and sha256 of each file.
        seconds: Seconds by step.
        resumed: Steps that an earlier, killed run had done.
        asked: The checksum of files and choices by which the same load is recognised.
        already: Whether it was loaded before, so that nothing was done.
        unit: What is counted instead of lines, such as ``pages``.
    """

    name: str
    format: str
    files: tuple[Mapping[str, Any], ...]
    read: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    duplicates: Mapping[str, int] = field(default_factory=dict)
    links: int = 0
    values: int = 0
    names: int = 0
    passages: int = 0
    same_as: int = 0
    nodes: int = 0
    mediators: int = 0
    notes: Mapping[str, int] = field(default_factory=dict)
    described: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, bool] = field(default_factory=dict)
    rejects: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    resumed: tuple[str, ...] = ()
    asked: str = ""
    already: bool = False
    forecast: Mapping[str, float] = field(default_factory=dict)
    unit: str = "lines"

    @property
    def facts(self) -> int:
        """Return the number of links and values."""
        return self.links + self.values

    def balanced(self) -> bool:
        """Return True if every line is accounted for."""
        parts = (self.kept, self.dropped, self.rejected, self.duplicates)
        return self.read == sum(sum(part.values()) for part in parts)

    def to_json(self) -> dict[str, Any]:
        """Return one JSON object. Rules and reasons with no lines are left out."""
        out = asdict(self)
        for part in ("kept", "dropped", "rejected", "duplicates", "notes"):
            out[part] = {name: n for name, n in out[part].items() if n}
        for part in ("described", "choices", "asked", "already"):
            if not out[part]:
                del out[part]
        return {**out, "facts": self.facts}


def find_earlier_load(
    loads: Sequence[Mapping[str, Any]], name: str, asked: str, *, pending: bool = False
) -> LoadResult | None:
    """Return the result of the ready (or ``pending``) load ``name`` if it had the same files and options.

    ``asked`` is their checksum.
    """
    for load in loads:
        details = load["details"]
        if (
            load["name"] == name
            and load["state"] == ("staging" if pending else "ready")
            and details.get("asked") == asked
        ):
            known = {f.name: details[f.name] for f in fields(LoadResult) if f.name in details}
            return None if details.get("without") else replace(LoadResult(**known), already=True)
    return None


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The result of one call of ``load_files``: one per source, in the order in which they were written."""

    loads: tuple[LoadResult, ...]
    seconds: float
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return one JSON object, version 1."""
        return {
            "version": 1,
            "dry_run": self.dry_run,
            "seconds": round(self.seconds, 3),
            "loads": [load.to_json() for load in self.loads],
        }


def reconcile(work: Work, prepared: Prepared) -> dict[str, dict[str, int]]:
    """Count kept, dropped, rejected and duplicate lines. Raises LoadError if they do not add up to those read."""
    check_files(work)
    read, streams, counts = prepared.read, prepared.streams, prepared.counts
    lines = [name for name in ("links", "values", "names", "passages", "same_as") if name not in streams.derived]
    lines_kept = {name: counts[name]["kept"] for name in lines if name != "names"}
    if "names" in lines:
        found = dict(work.db.execute("SELECT kind, count(*) FROM name GROUP BY kind").fetchall())
        lines_kept |= {text: found.get(kind, 0) for kind, text in _KINDS.items()}
    lines_kept |= streams.kept
    rejected = dict(work.db.execute("SELECT reason, count(*) FROM reject GROUP BY reason ORDER BY reason").fetchall())
    parts = {
        "kept": lines_kept,
        "dropped": {**streams.dropped, "blank": read.get("blank", 0)},
        "rejected": rejected,
        "duplicates": {name: counts[name]["rows"] - counts[name]["kept"] for name in lines},
    }
    total, accounted = sum(work.lines), sum(sum(part.values()) for part in parts.values())
    if total != accounted:
        raise LoadError(
            f"{total:,} lines were read and {accounted:,} are accounted for ({parts}).",
            remedy="Nothing was loaded. Please report this as a bug.",
        )
    return parts


def check_files(work: Work) -> None:
    """Raise LoadError if a file has no counted lines, unless a limit was reached before it."""
    limit = work.options.limit
    for n, file in enumerate(work.files):
        if limit and sum(work.lines[:n]) >= limit:
            return
        if n >= len(work.lines) or not work.lines[n]:
            raise LoadError(
                f"Nothing of {file.name} was read: no {work.unit} used, dropped or rejected.",
                remedy="Nothing was loaded. If the file is empty, leave it out; if not, name its format with --as.",
            )


def write_rejects(work: Work, path: Path) -> int:
    """Write every rejected line in ascending order.

    A line has file, line, reason, character and first bytes (escaped), separated by tabs.
    """
    total: int = work.one("SELECT count(*) FROM reject")
    if not total:
        return 0
    starts = [sum(work.lines[:n]) for n in range(len(work.lines))]
    with gzip.open(path, "wt", encoding="ascii", errors="backslashreplace", compresslevel=5) as out:
        out.write("file\tline\treason\tcharacter\tfirst bytes\n")
        work.db.execute("CREATE OR REPLACE TEMP TABLE rejected AS SELECT * FROM reject ORDER BY line")
        for at in range(0, total, _WINDOW):
            window = f"rowid >= {at} AND rowid < {at + _WINDOW} ORDER BY rowid"
            batch = work.db.execute(f"SELECT line, reason, place, head FROM rejected WHERE {window}").fetchall()
            for line, reason, place, head in batch:
                n = max(i for i, start in enumerate(starts) if start < line)
                out.write(f"{work.files[n].name}\t{line - starts[n]}\t{reason}\t{place}\t{head}\n")
    return total


def reasons_text(rejected: Mapping[str, int]) -> str:
    """Return the reasons with the number of lines that each rejected, most first."""
    return ", ".join(f"{name} {n:,}" for name, n in sorted(rejected.items(), key=lambda item: (-item[1], item[0])))

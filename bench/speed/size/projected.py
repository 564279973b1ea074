"""What whole dumps need, on more cores than were tried: arithmetic over the largest rows of bench/results/growth.json.

    python bench/speed/size/projected.py

Nothing is loaded. A load has what one thread does for itself (it unpacks, cuts lines and hands them on), what all cores
share (parsing, sorts), and the writing of the store; their shares of the processor's time are :data:`SHARES`. Results
go to ``bench/results/projected.md``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import machine, save
from bench.speed.size.growth import RESULTS

CORES: Final = (2, 16, 128)
QUIET: Final = 4.0
"""Load of a machine, its own work included, up to which the time of a row says something."""

A_NODE: Final = 35
"""Bytes of memory that the writer keeps for each node."""


@dataclass(frozen=True)
class Shares:
    """Processor µs a line or entity: of the one thread that reads, of what parses beside it, of cleaning and sorting,
    of writing."""

    one: float
    parsing: float
    sorting: float
    writing: float

    def each(self, cores: int, *, ranges: bool = False) -> float:
        """µs on so many cores; ``ranges``: an engine has each core read ranges of its own."""
        together = (self.one + self.parsing) / cores
        return (together if ranges else max(self.one, together)) + self.sorting / cores + self.writing

    @property
    def all(self) -> float:
        """On one core."""
        return self.each(1)


SHARES: Final = {"freebase": Shares(0.31, 1.70, 0.93, 0.37), "wikidata": Shares(37, 97, 56, 33)}
"""Measured in processor seconds: Freebase on 5 million lines (the one thread on 15 million), Wikidata on 60,000
entities of 14 KB."""

DUMPS: Final = {"freebase": ("Freebase", 3_130_753_066, 1.0), "wikidata": ("Wikidata", 96_000_000, 1.1 / 3.34)}
"""Lines or entities, and how many nodes one has against a generated one: in generated Wikidata the other ends of facts
are seldom entities of the file."""


def main() -> None:
    """One row for each dump and number of cores."""
    measured = json.loads(RESULTS.read_text())["rows"]
    rows, notes = [], []
    for what, (name, size, fewer) in DUMPS.items():
        whole = [row for row in measured if row["input"] == what and row["processor s"] is not None]
        row = max(whole, key=lambda row: row["size"])
        shares, times = SHARES[what], size / row["size"]
        slower = _slower(row, shares)
        memory = row["peak MB"] / 1e3 + A_NODE * row["nodes"] * (times * fewer - 1) / 1e9
        for cores in CORES:
            rows.append(
                {
                    "dump": name,
                    "size": f"{size:,}",
                    "cores": cores,
                    "hours": _hours(size, shares.each(cores) * slower),
                    "hours, read in ranges": _hours(size, shares.each(cores, ranges=True) * slower)
                    if cores > 2
                    else "",
                    "peak GB": f"{memory:.1f}",
                    "disk at its fullest GB": f"{row['scratch and store GB'] * times:,.0f}",
                    "store GB": f"{row['store MB'] * times / 1e3:,.0f}",
                    "facts": f"{row['facts'] * times / 1e9:.2f} G",
                    "nodes": f"{row['nodes'] * times * fewer / 1e6:,.0f} M",
                }
            )
        each = row["processor s"] / row["size"] * 1e6
        how = "the measured time on two cores" if row["load"] <= QUIET else "processor seconds: others were at work"
        notes.append(
            f"{name}: from {row['size']:,} measured, {each:.3g} µs of a processor each (shares:"
            f" {shares.one:g} one thread, {shares.parsing:g} parsing, {shares.sorting:g} cleaning and sorting,"
            f" {shares.writing:g} writing); the time is {slower:.2f} times what the shares say ({how})."
        )
    save(
        "projected",
        title="What whole dumps would need",
        command="python bench/speed/size/projected.py",
        about=machine(),
        notes=(
            "Arithmetic, not runs: everything grows as its input (growth.md has the exponents), memory by"
            f" {A_NODE} bytes a node; cores beyond two were not tried.",
            "hours: one file as .gz, whose lines one thread cuts · read in ranges: --engine spark over plain files or"
            " .bz2; what follows is done where the command runs.",
            *notes,
        ),
        rows=rows,
    )


def _slower(row: dict[str, Any], shares: Shares) -> float:
    if row["load"] <= QUIET:
        return float(row["s"] / row["size"] * 1e6 / shares.each(2))
    return float(row["processor s"] / row["size"] * 1e6 / shares.all)


def _hours(size: int, each: float) -> str:
    return f"{size * each / 1e6 / 3600:.1f}"


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Is the default of fusion tuned to the queries it is scored on? Its constants chosen on one half, scored on the other.

    fusion_split.py DATA [--sets birthplaces,heritages,books] [--out fusion_split]

The data pack has no further queries, and all of them were once looked at to compare forms and constants. So every grid
of constants is judged once, the best is taken on every second query, and scored on the queries between, both ways;
beside it the default as it is on the same queries, and the vote. Another set's choice is shown as well.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import machine, save
from hydra_kg.evaluate.fusion.runs import judged
from hydra_kg.evaluate.fusion.runs import prepared as read
from hydra_kg.evaluate.fusion.score import QueryScore, paired, summary
from hydra_kg.fusion.dependence.copy_detection import CopyDetector, merged
from hydra_kg.fusion.model.beliefs import Beliefs
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.default import Default
from hydra_kg.fusion.truth_discovery.graded import Graded
from hydra_kg.fusion.truth_discovery.vote import Vote


@dataclass(frozen=True)
class Single:
    """The default's part for attributes with one true value, with other constants."""

    graded: Graded
    name: str = "graded"

    def judge(self, claims: Claims) -> Beliefs:
        """Copies merged, then Graded."""
        copying = CopyDetector().find(claims)
        found = self.graded.judge(merged(claims, copying).claims)
        return Beliefs(found.probability, found.reliability[copying.cluster])


GRIDS = {
    "one true value": {
        f"strength {s}, value strength {v}, falsehoods {f}": Single(Graded(strength=s, value_strength=v, falsehoods=f))
        for s, v, f in product((3.0, 5.0, 10.0), (2.0, 5.0, 10.0), (100.0, 300.0, 500.0))
    },
    "several": {f"share {s}": Default(share=s) for s in (0.1, 0.2, 0.3, 0.5)},
}
AS_IT_IS = (Single(Graded()), Default())
FIXED = {name: next(label for label, method in grid.items() if method in AS_IT_IS) for name, grid in GRIDS.items()}
"""By grid, what the default's own constants are called there."""


def f1(rows: list[QueryScore]) -> float:
    """Micro F1 in percent."""
    return 100 * summary(rows)["f1"]


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data", type=Path)
    a.add_argument("--sets", default="birthplaces,heritages,books")
    a.add_argument("--out", default="fusion_split")
    o = a.parse_args()
    os.environ["HYDRA_DATA"] = str(o.data)
    found: dict[str, dict[str, list[QueryScore]]] = {}
    votes: dict[str, list[QueryScore]] = {}
    grid_of: dict[str, str] = {}
    for name in o.sets.split(","):
        data, queries = read(name)
        grid_of[name] = "several" if np.mean(data.reading.claims.many) > 0.5 or name == "books" else "one true value"
        found[name] = {k: list(judged(data, m, queries).rows) for k, m in GRIDS[grid_of[name]].items()}
        votes[name] = list(judged(data, Vote(), queries).rows)
    rows = []
    for name, grid in found.items():
        chosen: list[QueryScore] = []
        fixed: list[QueryScore] = []
        vote: list[QueryScore] = []
        picks = []
        for half in (0, 1):
            best = max(grid, key=lambda k: (f1(grid[k][half::2]), k == FIXED[grid_of[name]]))
            picks.append(best)
            other = slice(1 - half, None, 2)
            chosen += grid[best][other]
            fixed += grid[FIXED[grid_of[name]]][other]
            vote += votes[name][other]
        others = [n for n in found if n != name and grid_of[n] == grid_of[name]]
        elsewhere = max(grid, key=lambda k: sum(f1(found[n][k]) for n in others)) if others else ""
        d = paired(fixed, vote)
        rows.append(
            {
                "set": name,
                "queries": len(fixed),
                "vote": f"{f1(vote):.1f}",
                "default as it is": f"{f1(fixed):.1f}",
                "chosen on the other half": f"{f1(chosen):.1f}",
                "chosen on other sets": f"{f1(grid[elsewhere]):.1f}" if elsewhere else "",
                "least and best of the grid": f"{min(map(f1, grid.values())):.1f}–{max(map(f1, grid.values())):.1f}",
                "default − vote": f"{100 * d['difference']:+.1f} ({100 * d['low']:+.1f} … {100 * d['high']:+.1f})",
                "choices": " / ".join(picks),
            }
        )
    save(
        o.out,
        title="The default's constants, chosen on other queries",
        command="bench/accuracy/fusion_split.py DATA",
        about=machine("numpy"),
        rows=rows,
        notes=[
            "Strict micro F1 in percent. Grids: "
            + "; ".join(f"{len(g)} settings for {n}" for n, g in GRIDS.items())
            + ". What remains untested by this is the form of the method."
        ],
    )


if __name__ == "__main__":
    main()

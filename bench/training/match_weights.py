#!/usr/bin/env python3
"""Fit the weights of ``hydra_kg/match/scores.py`` on public pairs of feeds.

    match_weights.py DATA [--sets a,b] [--without SET]

Each set of DATA (see ``bench/accuracy/matching.py``) is matched as it is and thinned so that one row in ten has a
partner. The model is a conditional logit: the log odds of a candidate against nobody are linear in its features, plus
the log odds of the share of rows that have a partner, which is known here. Each set counts alike. Of whole sets, only
rows that the true pairs name are known; they teach which candidate is right, not whether there is one. ``--without``:
leave a set out, to see what its own pairs contribute. Prints the constants.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.accuracy.matching import Pair, _rows, matched, thin
from hydra_kg.match.run import Matcher
from hydra_kg.match.scores import WEIGHTS, features

RIDGE = 1.0
ROWS = 60.0
"""Rows with a partner that each set counts for."""

STEPS = 40


@dataclass
class Example:
    """Candidates grouped by row. x: (n, features) · y: share of the right answer · start: where each row's candidates
    begin · offset: log odds of having a partner, None where each row has one · weight: of each row."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    start: npt.NDArray[np.intp]
    offset: float | None
    weight: float


def read_example(matcher: Matcher, true: set[Pair], *, whole: bool) -> Example:
    """Return the candidates of one pair of feeds with their features and answers."""
    rows, _, _, found = matcher._compared
    assert found is not None
    assert found.evidence is not None
    said = np.asarray(np.nansum(found.weight, axis=1, dtype=np.float64))
    x = features(found.left, found.right, said, found.evidence)
    ends = np.unique(np.r_[found.left, found.right]).tolist()
    keys = {i: key.partition(":")[2] for i, key in zip(ends, matcher.keys(ends), strict=True)}
    pairs = zip(found.left.tolist(), found.right.tolist(), strict=True)
    y = np.array([(keys[a], keys[b]) in true for a, b in pairs], np.float64)
    if whole:
        known = np.isin(found.left, found.left[y > 0])
        x, y, left = x[known], y[known], found.left[known]
    else:
        left = found.left
    start = np.flatnonzero(np.r_[True, left[1:] != left[:-1]])
    right = np.add.reduceat(y, start)
    y /= np.maximum(np.repeat(right, np.diff(np.r_[start, len(y)])), 1)
    share = (right > 0).sum() / rows[0]
    offset = None if whole else float(np.log(share / (1 - share)))
    return Example(x, y, start, offset, ROWS / (right > 0).sum())


def fit(examples: dict[str, list[Example]]) -> npt.NDArray[np.float64]:
    """Return the weights of the features and, last, the constant that maximise the penalised likelihood (Newton)."""
    size = len(WEIGHTS)
    c = np.zeros(size + 1)
    for _ in range(STEPS):
        gradient = -RIDGE * np.r_[c[:-1], 0.0]
        curvature = np.diag(np.r_[np.full(size, RIDGE), 1e-6])
        for same_set in examples.values():
            for e in same_set:
                g, h = _likelihood(e, c)
                gradient += g / len(same_set)
                curvature += h / len(same_set)
        step = np.linalg.solve(curvature, gradient)
        step *= min(1.0, 2 / np.abs(step).max())
        c += step
        if np.abs(step).max() < 1e-4:
            break
    return c


def _likelihood(e: Example, c: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return gradient and negative Hessian of the log likelihood of one example."""
    counts = np.diff(np.r_[e.start, len(e.y)])
    x = np.column_stack([e.x, np.full(len(e.y), 0.0 if e.offset is None else 1.0)])
    z = x @ c + (e.offset or 0.0)
    top = np.maximum.reduceat(z, e.start)
    top = top if e.offset is None else np.maximum(top, 0.0)
    odds = np.exp(z - np.repeat(top, counts))
    total = np.add.reduceat(odds, e.start) + (0.0 if e.offset is None else np.exp(-top))
    p = odds / np.repeat(total, counts)
    mean = np.add.reduceat(x * p[:, None], e.start)
    return e.weight * (x.T @ (e.y - p)), e.weight * ((x * p[:, None]).T @ x - mean.T @ mean)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="", help="names with commas between; default: all")
    parser.add_argument("--without", default="", metavar="SET")
    chosen = parser.parse_args()
    found = sorted(p.parent.name for p in chosen.data.glob("*/matches.dev.csv"))
    names = chosen.sets.split(",") if chosen.sets else found
    examples: dict[str, list[Example]] = {}
    for name in [n for n in names if n != chosen.without]:
        folder = chosen.data / name
        whole = [folder / "tableA.csv", folder / "tableB.csv"]
        with TemporaryDirectory() as scratch:
            files, true = thin(folder, Path(scratch), draw=0)
            with matched(files) as thinned, matched(whole) as matcher:
                examples[name] = [
                    read_example(thinned, true, whole=False),
                    read_example(matcher, set(_rows(folder / "matches.dev.csv")), whole=True),
                ]
    *weights, constant = fit(examples)
    for feature, weight in zip(WEIGHTS, weights, strict=True):
        print(f'    "{feature}": {weight:.2f},')
    print(f"CONSTANT: Final = {constant:.2f}")


if __name__ == "__main__":
    main()

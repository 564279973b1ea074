"""Fit hydra_kg/questions/calibration.json: how probable an answer is right, by the confidence of what found it.

    python bench/training/fit_calibration.py RECORDS... [--write]

RECORDS are files of `bench/behaviour/record.py` whose confidences are not calibrated: write no more than (0, 0) and
(1, 1) into the file before recording. Only answers to questions that may be read and trained on count, and each family
counts the same. Printed: the calibration error of each family as it is, and by points fitted on the other families.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.behaviour.sets import SETS
from bench.measure import ROOT
from hydra_kg.evaluate.scoring.selective import calibration
from hydra_kg.questions.calibration import calibrate

FILE = ROOT / "hydra_kg" / "questions" / "calibration.json"
MEASURED_ONLY = {"webqsp_test", "rubq", "qald7_wikidata", "simplequestions_named", "aitqa_airlines", "supplybench"}
"""Sets that may not be trained on."""
EDGES = np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01])
"""Bounds of the confidences that share a point; .5 and .8 separate the labels."""

Points = npt.NDArray[np.float64]
Rows = Mapping[str, Sequence[tuple[float, bool]]]


def read_rows(files: Sequence[Path]) -> tuple[Rows, Rows]:
    """Return confidence and correctness of each answer by family, those to fit on and those to measure only."""
    families = {one.name: one.family for one in SETS}
    fitted: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    measured: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for record in (json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()):
        if record["answers"]:
            kept = measured if record["unread"] or record["set"] in MEASURED_ONLY else fitted
            row = (record["confidence"], record["outcome"] in ("right", "partly"))
            kept[families[record["set"]]].append(row)
    return fitted, measured


def fit(rows: Rows, families: Collection[str]) -> Points:
    """Return points (confidence, share right), shape (n, 2), ascending in both columns."""
    confidence = np.array([c for name in families for c, _ in rows[name]])
    right = np.array([r for name in families for _, r in rows[name]], np.float64)
    weight = np.array([1 / len(rows[name]) for name in families for _ in rows[name]])
    place = np.digitize(confidence, EDGES) - 1
    points = [(0.0, 0.0)]
    for one in np.unique(place):
        mine = place == one
        points.append(tuple(np.average(v[mine], weights=weight[mine]) for v in (confidence, right)))
    found = np.array([*points, (1.0, 1.0)])
    found[:, 1] = np.maximum.accumulate(found[:, 1])
    return found


def error(rows: Sequence[tuple[float, bool]], points: Points | None = None) -> float:
    """Return the calibration error of some answers, by these points or as they are."""
    given = [c for c, _ in rows]
    if points is not None:
        given = [calibrate(c, points) for c in given]
    return calibration(given, [r for _, r in rows]).ece


def main() -> None:
    """Fit, print the errors of each family, and write the points if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    fitted, measured = read_rows(options.records)
    print("| family | answers | error as it is | fitted on the others |\n|---|---|---|---|")
    for name, rows in fitted.items():
        others = fit(fitted, fitted.keys() - {name})
        print(f"| {name} | {len(rows)} | {error(rows):.3f} | {error(rows, others):.3f} |")
    points = fit(fitted, fitted.keys())
    for name, rows in measured.items():
        others = fit(fitted, fitted.keys() - {name})
        print(f"| {name}, measured only | {len(rows)} | {error(rows):.3f} | {error(rows, others):.3f} |")
    every = [row for rows in measured.values() for row in rows]
    print(f"| all measured only | {len(every)} | {error(every):.3f} | {error(every, points):.3f} |")
    text = json.dumps(points.round(4).tolist()) + "\n"
    print(f"\n{text}")
    if options.write:
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

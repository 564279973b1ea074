#!/usr/bin/env python3
"""Fit the weights of ``hydra-kg match`` on public pairs of feeds, and measure them on sets that were left out.

    match_weights.py DATA [--sets a,b] [--compared FOLDER] [--write] [--leave-one-out]

Each set of DATA (see ``bench/accuracy/matching.py``) is matched as it is and thinned so that one row in ten has a
partner. The model is a conditional logit: the log odds of a candidate against nobody are linear in its features, plus
the log odds of the share of rows that have a partner, which is known here. Each set counts alike. Of whole sets, only
rows that the true pairs name are known; they teach which candidate is right, not whether there is one. The quantile
``widest_gap`` of ``match_threshold.py`` is the one of ``GAPS`` with the best F1 over families that the weights have not
seen.

``--compared FOLDER``: store the compared pairs there, and use those that are there already. ``--write``: write
``hydra_kg/match/weights.json``. ``--leave-one-out``: print F1 of each set with what was fitted on all sets and with
weights and ``widest_gap`` that were fitted without its family, next to TF-IDF. Sets of one catalogue are one family.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import tfidf_matching
from bench.accuracy.matching import Pair, _rows, matched, thin
from hydra_kg.match import partner_choice, scores
from hydra_kg.match.match_run import Matcher
from hydra_kg.match.match_threshold import calibrate
from hydra_kg.match.row_comparison import RowEvidence

Floats = npt.NDArray[np.float64]

DRAWS = 2
"""Thinned feeds of each set."""

RIDGE = 1.0
ROWS = 60.0
"""Rows with a partner that each set counts for."""

GAPS = (0.7, 0.8, 0.85, 0.9, 1.0)
STEPS = 40
THRESHOLDS = sorted({tfidf_matching.THRESHOLD, *(t / 20 for t in range(2, 20))})


@dataclass(frozen=True)
class Compared:
    """The candidates of two feeds. ``said``, ``evidence``: see ``scores.pair_scores`` · ``right``: whether a pair is
    true · ``known``: whether the true pairs name its left row · ``rows``: of each feed · ``true``: true pairs."""

    ends: npt.NDArray[np.int64]
    said: Floats
    evidence: RowEvidence
    right: npt.NDArray[np.bool_]
    known: npt.NDArray[np.bool_]
    rows: tuple[int, int]
    true: int

    def features(self) -> Floats:
        """Return the features of each pair."""
        left, right = self.ends
        return scores.features(left, right, self.said, self.evidence)


def compare(matcher: Matcher, true: set[Pair]) -> Compared:
    """Compare two feeds."""
    rows, _, _, found = matcher._compared
    assert found is not None
    assert found.evidence is not None
    said = np.asarray(np.nansum(found.weight, axis=1, dtype=np.float64))
    ends = np.unique(np.r_[found.left, found.right]).tolist()
    keys = {i: key.partition(":")[2] for i, key in zip(ends, matcher.keys(ends), strict=True)}
    pairs = [(keys[a], keys[b]) for a, b in zip(found.left.tolist(), found.right.tolist(), strict=True)]
    left = {a for a, _ in true}
    right, known = np.array([p in true for p in pairs]), np.array([a in left for a, _ in pairs])
    both = np.stack([found.left, found.right])
    return Compared(both, said, found.evidence, right, known, (rows[0], rows[1]), len(true))


def save(compared: Compared, file: Path) -> None:
    """Store compared pairs."""
    evidence = {name: getattr(compared.evidence, name) for name in RowEvidence.__slots__}
    counts = np.array([*compared.rows, compared.true])
    np.savez_compressed(
        file, ends=compared.ends, said=compared.said, right=compared.right, known=compared.known, counts=counts,
        **evidence,
    )  # fmt: skip


def read(file: Path) -> Compared:
    """Return stored pairs."""
    with np.load(file) as found:
        evidence = RowEvidence(**{name: found[name] for name in RowEvidence.__slots__})
        a, b, true = found["counts"].tolist()
        return Compared(found["ends"], found["said"], evidence, found["right"], found["known"], (a, b), true)


def prepare(folder: Path, into: Path) -> None:
    """Compare the feeds of a set, whole and thinned, and run TF-IDF on them, unless that is stored already."""
    whole = [folder / "tableA.csv", folder / "tableB.csv"]
    if not (into / f"{folder.name}.whole.npz").exists():
        with matched(whole) as matcher:
            save(compare(matcher, set(_rows(folder / "matches.dev.csv"))), into / f"{folder.name}.whole.npz")
    for draw in range(DRAWS):
        if (into / f"{folder.name}.{draw}.json").exists():
            continue
        with TemporaryDirectory() as scratch:
            files, true = thin(folder, Path(scratch), draw=draw)
            with matched(files) as matcher:
                save(compare(matcher, true), into / f"{folder.name}.{draw}.npz")
            rival: dict[str, list[tuple[int, int]]] = {}
            for kind in (tfidf_matching.words, tfidf_matching.trigrams):
                scored = tfidf_matching.tfidf_pairs(files[0], files[1], kind)
                over = [[(a, b) for score, a, b in scored if score >= t] for t in THRESHOLDS]
                rival[kind.__name__] = [(len(pairs), sum(p in true for p in pairs)) for pairs in over]
            (into / f"{folder.name}.{draw}.json").write_text(json.dumps(rival))
    print(f"{folder.name} compared", file=sys.stderr, flush=True)


@dataclass
class Example:
    """Candidates grouped by row. x: (n, features) · y: share of the right answer · start: where each row's candidates
    begin · offset: log odds of having a partner, None where each row has one · weight: of each row."""

    x: Floats
    y: Floats
    start: npt.NDArray[np.intp]
    offset: float | None
    weight: float


@dataclass(frozen=True)
class Set:
    """A pair of feeds: whole, thinned, and as examples for the fit."""

    whole: Compared
    thinned: Sequence[Compared]
    examples: Sequence[Example]


def read_set(folder: Path, name: str) -> Set:
    """Return the stored pairs of a set."""
    whole, thinned = read(folder / f"{name}.whole.npz"), [read(folder / f"{name}.{d}.npz") for d in range(DRAWS)]
    return Set(whole, thinned, [read_example(thinned[0], whole=False), read_example(whole, whole=True)])


def read_example(compared: Compared, *, whole: bool) -> Example:
    """Return the candidates of one pair of feeds with their features and answers."""
    x, y, left = compared.features(), compared.right.astype(np.float64), compared.ends[0]
    if whole:
        known = np.isin(left, left[y > 0])
        x, y, left = x[known], y[known], left[known]
    start = np.flatnonzero(np.r_[True, left[1:] != left[:-1]])
    right = np.add.reduceat(y, start)
    y /= np.maximum(np.repeat(right, np.diff(np.r_[start, len(y)])), 1)
    share = (right > 0).sum() / compared.rows[0]
    offset = None if whole else float(np.log(share / (1 - share)))
    return Example(x, y, start, offset, ROWS / (right > 0).sum())


def fit(examples: Mapping[str, Sequence[Example]]) -> Floats:
    """Return the weights of the features and, last, the constant that maximise the penalised likelihood (Newton)."""
    size = next(iter(examples.values()))[0].x.shape[1]
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


def _likelihood(e: Example, c: Floats) -> tuple[Floats, Floats]:
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


@dataclass(frozen=True)
class Fitted:
    """The weights of the features with the constant, and the quantile at which gaps are cut."""

    weights: Floats
    widest_gap: float


def family(name: str) -> str:
    """Return the family of a set: ``imdb`` for imdb_tmdb and imdb_tvdb, which share a catalogue."""
    return name.partition("_")[0]


def fit_families(sets: Mapping[str, Set]) -> Fitted:
    """Fit the weights on all sets, and choose the gap by F1 over each family with weights fitted without it."""
    total = dict.fromkeys(GAPS, 0.0)
    for left_out in sorted({family(name) for name in sets}):
        weights = fit({name: s.examples for name, s in sets.items() if family(name) != left_out})
        for name, s in sets.items():
            if family(name) == left_out:
                for gap in GAPS:
                    thinned, _, whole = measure(s, Fitted(weights, gap))
                    total[gap] += thinned + whole
    return Fitted(fit({name: s.examples for name, s in sets.items()}), max(GAPS, key=total.__getitem__))


def link(compared: Compared, fitted: Fitted) -> npt.NDArray[np.intp]:
    """Return the places of the pairs that ``hydra-kg match --yes`` links with what was fitted."""
    left, right = compared.ends
    said, evidence, rows = compared.said, compared.evidence, compared.rows
    found = calibrate(left, right, said, evidence, rows=rows, weights=fitted.weights, widest_gap=fitted.widest_gap)
    p = found.probabilities
    best = partner_choice.one_to_one(left, right, p, least=found.threshold)
    rivals = partner_choice.find_rivals(left, right, p, best, threshold=found.threshold)
    return np.array([i for i in best.tolist() if i not in rivals], np.intp)


def measure(feeds: Set, fitted: Fitted) -> tuple[float, float, float]:
    """Return F1 over all rows of the thinned feeds, over the known rows of the whole feeds, and over all their rows."""
    whole, links = feeds.whole, [link(t, fitted) for t in feeds.thinned]
    linked = sum(map(len, links))
    right = sum(int(t.right[found].sum()) for t, found in zip(feeds.thinned, links, strict=True))
    true = sum(t.true for t in feeds.thinned)
    found = link(whole, fitted)
    good, judged = int(whole.right[found].sum()), int(whole.known[found].sum())
    share, recall = min(1.0, 2 * good / max(1, len(found))), good / whole.true
    everywhere = 2 * share * recall / max(1e-9, share + recall)
    return 2 * right / (linked + true), 2 * good / (judged + whole.true), everywhere


def rival(folder: Path, name: str, true: int) -> tuple[float, float]:
    """Return F1 of TF-IDF on the thinned feeds, the better of words and trigrams: at its fixed threshold, and at the
    best threshold for the set."""
    draws = [json.loads((folder / f"{name}.{draw}.json").read_text()) for draw in range(DRAWS)]
    f1 = np.array(
        [
            [2 * sum(d[kind][t][1] for d in draws) / (sum(d[kind][t][0] for d in draws) + true) for kind in draws[0]]
            for t in range(len(THRESHOLDS))
        ]
    )
    return float(f1[THRESHOLDS.index(tfidf_matching.THRESHOLD)].max()), float(f1.max())


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="", help="names with commas between; default: all")
    parser.add_argument("--compared", type=Path, help="folder of compared pairs")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--leave-one-out", action="store_true")
    chosen = parser.parse_args()
    found = sorted(p.parent.name for p in chosen.data.glob("*/matches.dev.csv"))
    names = chosen.sets.split(",") if chosen.sets else found
    with TemporaryDirectory() as scratch:
        folder = chosen.compared or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            prepare(chosen.data / name, folder)
        sets = {name: read_set(folder, name) for name in names}
        fitted = fit_families(sets)
        if chosen.leave_one_out:
            print("| set | thinned F1: fitted on it | left out | TF-IDF at .5 | best | whole, rows with a partner: "
                  "fitted on it | left out | all rows: fitted on it | left out |")  # fmt: skip
            print("|" + "---|" * 9)
            without = {
                left_out: fit_families({n: s for n, s in sets.items() if family(n) != left_out})
                for left_out in sorted({family(name) for name in names})
            }
            for name, s in sets.items():
                inside, outside = measure(s, fitted), measure(s, without[family(name)])
                fixed, best = rival(folder, name, sum(t.true for t in s.thinned))
                values = (inside[0], outside[0], fixed, best, inside[1], outside[1], inside[2], outside[2])
                print(f"| {name} | {' | '.join(f'{v:.3f}' for v in values)} |", flush=True)
            print("Gaps chosen:", {n: f.widest_gap for n, f in without.items()}, file=sys.stderr)
    document: dict[str, Any] = {
        "fitted_by": "bench/training/match_weights.py",
        "sets": names,
        "features": dict(zip(scores.FEATURES, fitted.weights[:-1].round(2).tolist(), strict=True)),
        "constant": round(float(fitted.weights[-1]), 2),
        "widest_gap": fitted.widest_gap,
    }
    text = json.dumps(document, indent=2) + "\n"
    print(text, end="")
    if chosen.write:
        Path(scores.__file__).with_name("weights.json").write_text(text)


if __name__ == "__main__":
    main()

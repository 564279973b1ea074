"""Store people's labels of pairs of rows next to the store, and learn weights from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Final

import numpy as np

from hydra_kg.errors import FormatError
from hydra_kg.match.model import Matching, Pair
from hydra_kg.match.partner_choice import Floats

FEWEST: Final = 10
"""Smallest number of labels, of both kinds, from which weights are learned. Fewer decide only their own pairs."""

LOPSIDED: Final = 0.1
"""Share of labels of one kind below which both kinds are weighted equally: skipped pairs bias their frequency."""

_RIDGE: Final = 3.0
_FIRM: Final = 10.0  # labelled pairs have similar probabilities, so they tell little of other probabilities
_STEPS: Final = 25
_WIDEST: Final = 12.0  # largest absolute log odds; greater ones teach no more

Labels = Mapping[tuple[str, str], bool]
"""Labels: whether two rows, by their keys, are one thing."""


def read_labels(path: Path) -> dict[tuple[str, str], bool]:
    """Return the labels of a file; the last label of a pair counts.

    Raises FormatError that names the first line which is not a label.
    """
    found: dict[tuple[str, str], bool] = {}
    if not path.is_file():
        return found
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            match json.loads(line):
                case {"left": str(left), "right": str(right), "same": bool(same)}:
                    found[left, right] = same
                case _:
                    raise ValueError(line)
        except (ValueError, RecursionError) as e:
            raise FormatError(
                f"{path}:{number} is not a label.",
                remedy='A label is {"left": KEY, "right": KEY, "same": true}; correct the line or remove it.',
            ) from e
    return found


def write_labels(path: Path, labels: Iterable[tuple[str, str, bool]]) -> Iterator[tuple[str, str, bool]]:
    """Append labels to a file one by one as they come, and yield them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        for left, right, same in labels:
            out.write(json.dumps({"left": left, "right": right, "same": same}, ensure_ascii=False) + "\n")
            out.flush()
            yield left, right, same


def nearest_pairs(
    found: Matching, keys_of: Callable[[Sequence[int]], list[str]], *, known: Set[tuple[str, str]], most: int
) -> list[Pair]:
    """Return unlabelled pairs: ambiguous ones, then those nearest the threshold, above and below in turn.

    keys_of: the keys of rows.
    """
    unclear = list({(p.left, p.right): p for group in found.ambiguous for p in group}.values())
    ends = [i for pair in (*found.pairs, *unclear) for i in (pair.left, pair.right)]
    keys = dict(zip(ends, keys_of(ends), strict=True))
    unclear = [pair for pair in unclear if (keys[pair.left], keys[pair.right]) not in known]
    asked = {(p.left, p.right) for p in unclear}
    open_ = [p for p in found.pairs if (keys[p.left], keys[p.right]) not in known and (p.left, p.right) not in asked]
    above = [p for p in reversed(open_) if p.probability >= found.threshold]
    below = [p for p in open_ if p.probability < found.threshold]
    turns = [p for i in range(max(len(above), len(below))) for p in (*above[i : i + 1], *below[i : i + 1])]
    return [*unclear, *turns][:most]


def has_enough_labels(said: Labels) -> bool:
    """Return True if there are enough labels of both kinds to learn weights."""
    return len(said) >= FEWEST and len(set(said.values())) > 1


def relearn_probabilities(
    p: Floats, weight: Floats, *, at: np.ndarray[tuple[int], np.dtype[np.intp]], same: np.ndarray, usual: float = 0.1
) -> Floats:
    """Return all probabilities after learning from labels.

    The model is a logistic regression on the prior probability and the columns, with case-control weights. With too few
    labels, or labels of one kind, the probabilities are returned unchanged.

    p: probability of each pair, shape (n,).
    weight: log Bayes factors of the columns, shape (n, columns).
    at: places of the labelled pairs.
    same: the labels, in the same order.
    usual: threshold without labels.
    """
    if len(at) < FEWEST or same.all() or not same.any():
        return p
    x = _features(p, weight, usual)
    believed = np.zeros(x.shape[1])
    believed[0] = 1.0
    strength = np.full(x.shape[1], _RIDGE)
    strength[0] = _FIRM
    strength[-1] = _RIDGE / 10
    seen, truth, c = x[at], same.astype(np.float64), believed.copy()
    share = min(truth.mean(), 1 - truth.mean())
    counts = np.where(same, 0.5 / truth.mean(), 0.5 / (1 - truth.mean())) if share < LOPSIDED else np.ones(len(at))
    for _ in range(_STEPS):
        q = 1 / (1 + np.exp(-np.clip(seen @ c, -30, 30)))
        gradient = seen.T @ (counts * (truth - q)) - strength * (c - believed)
        curvature = (seen * (counts * q * (1 - q))[:, None]).T @ seen + np.diag(strength)
        step = np.linalg.solve(curvature, gradient)
        c += step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(1 / (1 + np.exp(-np.clip(x @ c, -30, 30))))


def _features(p: Floats, weight: Floats, usual: float) -> Floats:
    """Return the features of each pair: log odds above those of the threshold, evidence of each column, and 1."""
    sure = np.clip(p, 1e-12, 1 - 1e-12)
    odds = np.log(sure / (1 - sure)) - np.log(usual / (1 - usual))
    said = np.clip(np.nan_to_num(weight), -_WIDEST, _WIDEST) / _WIDEST
    return np.column_stack([np.clip(odds, -_WIDEST, _WIDEST), said * 3, np.ones(len(p))])

"""Means with intervals, and tests of whether two runs differ: paired bootstrap and McNemar's test; all seeded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.util.fast_dataclass import dataclass

RESAMPLES = 2000
Z = 1.959964  # 97.5 % of the standard normal distribution


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over n questions with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int

    def to_json(self) -> dict[str, float]:
        """Return the estimate rounded to six digits."""
        return {"mean": round(self.mean, 6), "low": round(self.low, 6), "high": round(self.high, 6), "n": self.n}


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """B − A over the same questions: mean, 95 % interval, two-sided bootstrap p."""

    mean: float
    low: float
    high: float
    p: float
    n: int


def estimate(values: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Return mean and 95 % interval: Wilson's (1927) for shares, else the percentile bootstrap; zeros for no values."""
    if not values:
        return Estimate(0.0, 0.0, 0.0, 0)
    data = np.asarray(values, np.float64)
    if np.isin(data, (0.0, 1.0)).all():
        return _wilson(float(data.mean()), len(data))
    low, high = np.percentile(_means(data, seed, resamples), (2.5, 97.5))
    return Estimate(float(data.mean()), float(low), float(high), len(data))


def _wilson(share: float, n: int) -> Estimate:
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half), n)


def bootstrap_paired(
    a: Sequence[float], b: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> PairedDifference:
    """Return the paired bootstrap of b − a (Efron and Tibshirani 1993, §16). Raises ValueError for unequal lengths.

    p is twice the smaller share of resamples beyond zero, at least 1/resamples.
    """
    if len(a) != len(b):
        raise ValueError("a paired test needs the same questions on both sides")
    if not len(a):
        return PairedDifference(0.0, 0.0, 0.0, 1.0, 0)
    data = np.asarray(b, np.float64) - np.asarray(a, np.float64)
    if not data.any():
        return PairedDifference(0.0, 0.0, 0.0, 1.0, len(data))
    return summarise_resamples(float(data.mean()), _means(data, seed, resamples), n=len(data))


def summarise_resamples(difference: float, resampled: npt.NDArray[np.float64], *, n: int) -> PairedDifference:
    """Return a difference with the interval and p of its values in bootstrap resamples."""
    low, high = np.percentile(resampled, (2.5, 97.5))
    p = 2 * min(float((resampled <= 0).mean()), float((resampled >= 0).mean()))
    return PairedDifference(difference, float(low), float(high), min(1.0, max(p, 1 / len(resampled))), n)


def resampling_weights(n: int, *, seed: int = 0, resamples: int = RESAMPLES) -> Iterator[npt.NDArray[np.float64]]:
    """Yield bootstrap resamples of n questions in blocks of rows: how often each question is drawn."""
    random = np.random.default_rng(seed)
    block = max(1, 1_000_000 // n)
    for start in range(0, resamples, block):
        yield random.multinomial(n, np.full(n, 1 / n), min(block, resamples - start)).astype(np.float64)


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p of McNemar's test.

    ``only_a`` and ``only_b`` are the numbers of questions that only one of the runs got right.
    """
    n, k = only_a + only_b, min(only_a, only_b)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n) if n else 1.0


def _means(data: npt.NDArray[np.float64], seed: int, resamples: int) -> npt.NDArray[np.float64]:
    """Return the means of resamples, drawn in blocks so that memory stays bounded (about 8 MB)."""
    random = np.random.default_rng(seed)
    block = max(1, 1_000_000 // len(data))
    parts = [
        data[random.integers(0, len(data), (min(block, resamples - start), len(data)))].mean(axis=1)
        for start in range(0, resamples, block)
    ]
    return np.concatenate(parts)

"""The rival of ``hydra-kg match``: cosine of TF-IDF over whole rows, one partner a row, one threshold for all sets.

A row is the text of all its cells but ``id``; its terms are words, or character trigrams. Thirty lines on purpose:
what they find without labels is what entity resolution by Splink has to beat (``matching.py --rival``).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import numpy as np

THRESHOLD = 0.5
"""Cosine from which the best partner is linked."""

Scored = list[tuple[float, str, str]]


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"\w+", text.lower())


def trigrams(text: str) -> list[str]:
    """Return the character trigrams of a text, words with a blank on either side."""
    padded = f" {' '.join(words(text))} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]


def tfidf_pairs(left: Path, right: Path, terms=words) -> Scored:  # type: ignore[no-untyped-def]
    """Return the one-to-one pairs of two CSV files, the most similar first, each with its cosine."""
    sides = [_vectors(path, terms) for path in (left, right)]
    count = sum(map(len, sides))
    seen = Counter(t for side in sides for counts in side.values() for t in counts)
    place = {t: i for i, t in enumerate(seen)}
    postings: list[list[tuple[int, float]]] = [[] for _ in seen]
    unit = [{row: _weights(counts, seen, count) for row, counts in side.items()} for side in sides]
    for j, weights in enumerate(unit[1].values()):
        for t, w in weights.items():
            postings[place[t]].append((j, w))
    columns = [(np.array([j for j, _ in p], np.intp), np.array([w for _, w in p])) for p in postings]
    names, scored = list(unit[1]), []
    for row, weights in unit[0].items():
        cosine = np.zeros(len(names))
        for t, w in weights.items():
            cosine[columns[place[t]][0]] += w * columns[place[t]][1]
        scored += [(float(cosine[j]), row, names[j]) for j in np.argsort(-cosine, kind="stable")[:10]]
    chosen: dict[str, tuple[float, str, str]] = {}
    taken: set[str] = set()
    for score, a, b in sorted(scored, key=lambda s: -s[0]):
        if a not in chosen and b not in taken:
            chosen[a] = (score, a, b)
            taken.add(b)
    return list(chosen.values())


def _vectors(path: Path, terms) -> dict[str, Counter[str]]:  # type: ignore[no-untyped-def]
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            row["id"]: Counter(terms(" ".join(v for k, v in row.items() if k != "id" and v)))
            for row in csv.DictReader(lines)
        }


def _weights(counts: Counter[str], seen: Counter[str], rows: int) -> dict[str, float]:
    raw = {t: (1 + np.log(n)) * (1 + np.log((1 + rows) / (1 + seen[t]))) for t, n in counts.items()}
    length = sum(w * w for w in raw.values()) ** 0.5 or 1.0
    return {t: w / length for t, w in raw.items()}

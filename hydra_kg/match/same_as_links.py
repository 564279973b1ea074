"""Write accepted pairs as same-as links, to a file with the probability of each and its reasons, and name its load."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hydra_kg.match.model import Matching, Pair

if TYPE_CHECKING:
    from hydra_kg.match.feed_rows import ShownRow
    from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration

FOLDER: Final = "matches"
"""Folder in the store for files of links and labels."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


def load_name(feeds: Sequence[str]) -> str:
    """Return the name of the load of the links between feeds."""
    return "-".join(("match", *feeds))


def links_file(store: Path, feeds: Sequence[str]) -> Path:
    """Return the path of the file that the links are loaded from, and that citations name."""
    return store / FOLDER / f"{_UNSAFE.sub('_', load_name(feeds))}.jsonl"


def labels_file(store: Path, feeds: Sequence[str]) -> Path:
    """Return the path of the file of people's labels of pairs."""
    return store / FOLDER / f"{_UNSAFE.sub('_', load_name(feeds))}.labels.jsonl"


def write_links(path: Path, links: Sequence[str]) -> Path:
    """Write lines of links to a file at once, and return its path."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text("".join(links), "utf-8")
    new.replace(path)
    return path


def drop_joined_rows(
    matching: Matching, pairs: Sequence[Pair], pinned: PinnedGeneration, *, rows: Mapping[int, int]
) -> list[Pair]:
    """Drop pairs that would join two rows of one feed through the links of other loads.

    rows: the side of each row.
    """
    if len(matching.feeds) == 1:
        return list(pairs)
    own = load_name(matching.feeds)
    root: dict[int, int] = {}
    sides: dict[int, set[int]] = {}

    def find(i: int) -> int:
        while (up := root.setdefault(i, i)) != i:
            root[i] = i = root.setdefault(up, up)
        return i

    def join(a: int, b: int) -> bool:
        a, b = find(a), find(b)
        if a == b:
            return True
        left = sides.get(a) or ({rows[a]} if a in rows else set())
        right = sides.get(b) or ({rows[b]} if b in rows else set())
        if left & right:
            return False
        root[b] = a
        sides[a] = left | right
        return True

    for info, segment in pinned.loads:
        if info.name != own:
            for a, b in zip(segment.same_a.tolist(), segment.same_b.tolist(), strict=True):
                join(a, b)
    return [pair for pair in pairs if join(pair.left, pair.right)]


def lines(matching: Matching, pairs: Iterable[Pair], keys: Mapping[int, str]) -> Iterable[str]:
    """Yield each pair as a line of JSON: keys, probability, weight of each column, method."""
    method = f"{matching.method['name']}, settings {matching.method['settings']}"
    for pair in pairs:
        doc: dict[str, Any] = {
            "same_as": [keys[pair.left], keys[pair.right]],
            "probability": round(pair.probability, 4),
            "agrees": {n: round(w, 2) for n, w in pair.weights.items() if w > 0},
            "differs": {n: round(w, 2) for n, w in pair.weights.items() if w <= 0},
            "method": method,
        }
        yield json.dumps(doc, ensure_ascii=False) + "\n"


def agreement(pair: Pair, rows: Mapping[int, ShownRow], matching: Matching) -> tuple[list[str], list[str]]:
    """Return the columns that support a pair, and those that contradict it with the values of the two rows."""
    by_name = {c.name: c for c in matching.columns}
    agrees = [name for name, w in pair.weights.items() if w > 0]
    left, right = rows[pair.left].cells, rows[pair.right].cells
    differs = [
        f"{name} ({left.get(by_name[name].left, '')} | {right.get(by_name[name].right, '')})"
        for name, w in pair.weights.items()
        if w <= 0
    ]
    return agrees, differs


def sides_of(pinned: PinnedGeneration, feeds: Sequence[str]) -> dict[int, int]:
    """Return the side of each row of two feeds."""
    from hydra_kg.stores.embedded.reads.feed_cells import feed_entities

    found: dict[int, int] = {}
    for side, feed in enumerate(feeds):
        entities = feed_entities(pinned, feed)
        found.update(zip(entities.tolist(), np.full(len(entities), side).tolist(), strict=True))
    return found

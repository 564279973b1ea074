"""A hierarchy of places or other things: which value is a less specific form of which."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from hydra_kg.errors import FormatError
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

MOST_LEVELS = 64


@dataclass(frozen=True)
class Hierarchy:
    """Nodes 0 … n−1 with names and parents (−1 for a root). Several nodes may have one name."""

    names: tuple[str, ...]
    parents: tuple[int, ...]

    @cached_property
    def nodes(self) -> dict[str, tuple[int, ...]]:
        """The nodes of each folded name, without the roots, which contain everything."""
        found: dict[str, tuple[int, ...]] = {}
        for node, name in enumerate(self.names):
            if self.parents[node] >= 0:
                key = fold(name)
                found[key] = (*found.get(key, ()), node)
        return found

    def above(self, node: int) -> tuple[int, ...]:
        """Return the ancestors of a node, nearest first, at most 64 levels."""
        line: list[int] = []
        while (node := self.parents[node]) >= 0 and len(line) < MOST_LEVELS and node not in line:
            line.append(node)
        return tuple(line)

    def general(self, a: str, b: str) -> bool:
        """Return True if the folded name ``a`` is a less specific form of the folded name ``b``."""
        nodes = set(self.nodes.get(a, ()))
        return bool(nodes) and a != b and any(nodes & set(self.above(node)) for node in self.nodes.get(b, ()))

    @cached_property
    def seats(self) -> dict[str, str]:
        """The city of each region whose name is that of the city without "City" ("New York"), if the city has parts."""
        whole = set(self.parents)
        found: dict[str, str] = {}
        for node, name in enumerate(self.names):
            region = fold(name).removesuffix(" city")
            if node in whole and region != fold(name) and any(fold(self.names[a]) == region for a in self.above(node)):
                found.setdefault(region, name.strip())
        return found

    def depth(self, a: str) -> int:
        """Return the greatest depth of a folded name, or 0 if it is not in the hierarchy."""
        return max((len(self.above(n)) for n in self.nodes.get(a, ())), default=0)


def hierarchy_of(rows: Iterable[Sequence[str]]) -> Hierarchy:
    """Return the hierarchy of rows (id, name, id of the parent); an unknown parent makes a root.

    Raises FormatError for a broken row.
    """
    ids: dict[str, int] = {}
    names: list[str] = []
    above: list[str] = []
    for number, row in enumerate(rows, 1):
        if len(row) != 3:
            raise FormatError(f"Row {number} of the hierarchy has {len(row)} columns instead of id, name, parent.")
        ids[row[0]] = len(names)
        names.append(row[1])
        above.append(row[2])
    return Hierarchy(tuple(names), tuple(ids.get(a, -1) for a in above))


def read_hierarchy(path: Path) -> Hierarchy:
    """Return the hierarchy in a CSV file (also .gz) with a header and the columns id, name, id of the parent."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows, None)
        return hierarchy_of(rows)

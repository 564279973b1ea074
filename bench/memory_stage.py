"""A small stage from Python lists of terms, for tests and for benchmarks of kills."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Source
from hydra_kg.errors import LoadError
from hydra_kg.ids import encode, is_inline


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact as its source states it. ``source`` is a place in the plan's sources; an object that begins with a
    quotation mark is a literal in either list."""

    subject: str
    predicate: str
    object: str
    line: int = 0
    source: int = 0
    rank: str = ""
    confidence: float = 1.0
    qualifiers: tuple[tuple[str, str], ...] = ()
    locator: str = ""


@dataclass(frozen=True, slots=True)
class SimpleLoadPlan:
    """A load plan as a plain value (port LoadPlan)."""

    name: str
    sources: tuple[Source, ...]
    replace: bool = False
    file: str = ""


_Fact = tuple[int, int, int, int, str, str, float, int, str]
"""s, p, o, source, qualifiers, rank, confidence, line, locator."""


class MemoryStage:
    """Sorts, removes duplicates (the least line stays) and encodes (port Stage).

    links, values: Row or (subject, predicate, object[, line]) keys · names: (node key, kind, text) · mediators: keys ·
    predicates: key → (text, inverse), by default the key itself · passages: (node key or "", title, url, text, line) ·
    same_as: (key, key[, line]) · nodes: further keys to be listed. Facts that differ only in rank, confidence or
    qualifiers all stay, in an order that does not depend on the input's; of those that differ only in line and
    locator the first stays. Raises LoadError for two terms of one id.
    """

    def __init__(
        self,
        links: Iterable[FactRow | Sequence[Any]] = (),
        *,
        values: Iterable[FactRow | Sequence[Any]] = (),
        names: Iterable[tuple[str, str, str]] = (),
        mediators: Iterable[str] = (),
        predicates: Mapping[str, tuple[str, str]] | None = None,
        passages: Iterable[tuple[str, str, str, str, int]] = (),
        same_as: Iterable[Sequence[Any]] = (),
        nodes: Iterable[str] = (),
        batch: int = 1 << 20,
    ) -> None:
        self.batch = batch
        self._terms: dict[int, str] = {}
        self._predicates: dict[int, tuple[int, str, str, str]] = {}
        self._links, self._values = self._facts(links), self._facts(values)
        self._names = [(self._id(key), kind, text) for key, kind, text in names]
        self._passages = [
            (self._id(key) if key else 0, title, url, text, line) for key, title, url, text, line in passages
        ]
        same: dict[tuple[int, int], int] = {}
        for a, b, *line in same_as:
            pair = (self._id(a), self._id(b))
            same[pair] = min(same.get(pair, 1 << 60), int(line[0]) if line else 0)
        self._same = [(a, b, line) for (a, b), line in sorted(same.items())]
        found = {self._id(key) for key in nodes}
        found.update(f[0] for f in self._links + self._values)
        found.update(f[2] for f in self._links)
        found.update(n for n, _, _ in self._names)
        found.update(p[0] for p in self._passages if p[0])
        found.update(n for a, b, _ in self._same for n in (a, b))
        self._nodes = sorted(found)
        self._mediators = sorted({self._id(key) for key in mediators} & found)
        for key, (text, inverse) in (predicates or {}).items():
            self._predicates[self._id(key)] = (self._id(key), key, text, inverse)

    def counts(self) -> Mapping[str, int]:
        """Rows per stream."""
        return {
            "links": len(self._links),
            "values": len(self._values),
            "nodes": len(self._nodes),
            "terms": len(self._terms),
            "names": len(self._names),
            "passages": len(self._passages),
            "same_as": len(self._same),
        }

    def links(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Links, sorted."""
        return self._columns(self._links)

    def values(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Literal facts, sorted."""
        return self._columns(self._values)

    def nodes(self) -> Iterator[npt.NDArray[np.int64]]:
        """All nodes."""
        yield np.array(self._nodes, np.int64)

    def mediators(self) -> Iterator[npt.NDArray[np.int64]]:
        """Mediators."""
        yield np.array(self._mediators, np.int64)

    def terms(self) -> Iterator[tuple[npt.NDArray[np.int64], Sequence[str]]]:
        """Hashed terms."""
        rows = sorted(self._terms.items())
        for i in range(0, len(rows), self.batch):
            part = rows[i : i + self.batch]
            yield np.array([n for n, _ in part], np.int64), [t for _, t in part]

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        """Names and descriptions."""
        yield self._names

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """All predicates."""
        return sorted(self._predicates.values())

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        """Passages in the given order."""
        yield self._passages

    def same_as(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Same-as links."""
        a, b, line = (list(c) for c in zip(*self._same, strict=True)) if self._same else ([], [], [])
        yield {"a": np.array(a, np.int64), "b": np.array(b, np.int64), "line": np.array(line, np.uint64)}

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        """Details by row."""
        yield [(i, f[5], f[6], f[4], f[8]) for i, f in enumerate(self._links) if _has_detail(f)]
        yield [(~i, f[5], f[6], f[4], f[8]) for i, f in enumerate(self._values) if _has_detail(f)]

    def _facts(self, rows: Iterable[FactRow | Sequence[Any]]) -> list[_Fact]:
        least: dict[tuple[int, int, int, int, str, str, float], tuple[int, str]] = {}
        for row in rows:
            r = row if isinstance(row, FactRow) else FactRow(*row)
            qualifiers = json.dumps(sorted(r.qualifiers), ensure_ascii=False)
            p = self._id(r.predicate)
            self._predicates.setdefault(p, (p, r.predicate, r.predicate, ""))
            fact = (self._id(r.subject), p, self._id(r.object), r.source, qualifiers, r.rank, r.confidence)
            least[fact] = min(least.get(fact, (1 << 60, "")), (r.line, r.locator))
        return sorted((*fact, *place) for fact, place in least.items())

    def _columns(self, facts: list[_Fact]) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        several = any(f[3] for f in self._links + self._values)
        for i in range(0, len(facts), self.batch):
            part = facts[i : i + self.batch]
            batch: dict[str, npt.NDArray[Any]] = {
                name: np.array([f[place] for f in part], np.int64)
                for name, place in (("s", 0), ("p", 1), ("o", 2), ("line", 7))
            }
            batch["detail"] = np.array([_has_detail(f) for f in part])
            if several:
                batch["source"] = np.array([f[3] for f in part], np.uint16)
            yield batch

    def _id(self, key: str) -> int:
        number = encode(key)
        if not is_inline(number) and self._terms.setdefault(number, key) != key:
            raise LoadError(
                f"{key} and {self._terms[number]} have the same hashed id.",
                remedy="Rename one of them; they are never merged.",
            )
        return number


def _has_detail(fact: _Fact) -> bool:
    return fact[4] != "[]" or fact[5] != "" or fact[6] != 1.0 or fact[8] != ""

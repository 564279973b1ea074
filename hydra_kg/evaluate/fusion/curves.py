"""Robustness of fusion methods when claims are masked, doubled or overwritten, and for mixes of source formats."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import combinations
from typing import Final

from hydra_kg.evaluate.fusion.claim_sets import SetFiles, read_files, read_queries, rows_of
from hydra_kg.evaluate.fusion.method_runs import attainable, find_query_groups, judge_set
from hydra_kg.evaluate.fusion.score import fold_text
from hydra_kg.fusion.normalisation.claim_values import Row
from hydra_kg.fusion.truth_discovery.methods import method
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

TRIES = 50
SHARES: Final = (0.3, 0.5, 0.7)
CURVE_METHODS: Final = ("vote", "truthfinder", "accu", "default")
CEILING: Final = "attainable"


class Mode(Enum):
    """Kind of corruption.

    Claims are dropped (one for each entity and attribute stays), get a second, wrong value, or are overwritten.
    """

    MASK = "mask"
    ADD = "add"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Corruption:
    """Corruption of the ``share`` of the claims of ``sources`` (all if empty), drawn by hash.

    A wrong value is another one of the same attribute (and day).
    """

    mode: Mode
    share: float
    seed: int = 0
    sources: frozenset[str] = frozenset()
    dated: bool = False

    def __call__(self, rows: Iterable[Row]) -> list[Row]:
        """Return the corrupted rows, with added rows at the end.

        Their order only decides the order of the result.
        """
        rows = list(rows)
        pool: dict[tuple[str, str], set[str]] = defaultdict(set)
        for entity, attribute, _, value in rows:
            pool[self._kind(entity, attribute)].add(value)
        values = {kind: sorted(found) for kind, found in pool.items()}
        stay = self._staying(rows) if self.mode is Mode.MASK else frozenset()
        remaining: list[Row] = []
        added: list[Row] = []
        for number, row in enumerate(rows):
            entity, attribute, source, value = row
            hit = (not self.sources or source in self.sources) and self._pick(row) < self.share
            if not hit or number in stay:
                remaining.append(row)
            elif self.mode is not Mode.MASK:
                other = self._wrong(row, values[self._kind(entity, attribute)])
                changed = (entity, attribute, source, other)
                remaining.append(changed if self.mode is Mode.REPLACE else row)
                if self.mode is Mode.ADD and other != value:
                    added.append(changed)
        return remaining + added

    def _kind(self, entity: str, attribute: str) -> tuple[str, str]:
        return attribute, entity.split(" ", 1)[0] if self.dated else ""

    def _pick(self, row: Row) -> float:
        entity, attribute, source, value = row
        return draw_number(self.seed, "pick", source, entity, attribute, value)

    def _wrong(self, row: Row, values: Sequence[str]) -> str:
        entity, attribute, source, value = row
        for i in range(TRIES):
            other = values[int(draw_number(self.seed, "value", i, source, entity, attribute, value) * len(values))]
            if fold_text(other) != fold_text(value):
                return other
        return value

    def _staying(self, rows: Sequence[Row]) -> frozenset[int]:
        last: dict[tuple[str, str], tuple[float, int]] = {}
        for number, row in enumerate(rows):
            key, own = (fold_text(row[0]), row[1]), (self._pick(row), number)
            last[key] = max(last.get(key, own), own)
        return frozenset(number for _, number in last.values())


def draw_number(*parts: object) -> float:
    """Return a number in [0, 1) that depends only on the parts."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / 2**64


def largest(rows: Iterable[Row], number: int = 1) -> tuple[str, ...]:
    """Return the ``number`` sources with the most claims."""
    count = Counter(source for _, _, source, _ in rows)
    return tuple(name for name, n in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:number])


@dataclass(frozen=True, slots=True)
class Point:
    """F1 of each method for each seed under one corruption.

    ``share`` 0 means the claims are unchanged. The method ``CEILING`` is what is attainable.
    """

    corruption: str
    share: float
    f1: Mapping[str, tuple[float, ...]]


def curve(
    files: SetFiles,
    *,
    methods: Sequence[str] = CURVE_METHODS,
    seeds: int = 3,
    part: float = 1.0,
    modes: Collection[Mode] = tuple(Mode),
    shares: Sequence[float] = SHARES,
    listener: Callable[[Point], None] = lambda _: None,
) -> list[Point]:
    """Return the points of robustness curves for the corruption ``modes``.

    The two largest sources are made wrong, any source is masked, and any source gets a second, wrong value. ``part`` is
    the share of entities outside of the queries that take part, drawn by hash.
    """
    every = list(thin_rows(files, part))
    plans = [(Mode.REPLACE, {source}) for source in largest(every, 2)] + [(Mode.MASK, set()), (Mode.ADD, set())]
    points = []
    for n, (mode, sources) in enumerate(plan for plan in plans if plan[0] in modes):
        for share in (0.0, *shares) if n == 0 else shares:
            found: dict[str, list[float]] = {m: [] for m in (*methods, CEILING)}
            for seed in range(seeds if share else 1):
                change = Corruption(mode, share, seed, frozenset(sources), dated=files.wide)
                for m, value in scores(files, methods, change(every), ceiling=True).items():
                    found[m].append(value)
            what = f"{mode.value} {', '.join(sources) or 'any source'}" if share else "as it is"
            points.append(Point(what, share, {m: tuple(v) for m, v in found.items()}))
            listener(points[-1])
    return points


def scores(files: SetFiles, methods: Sequence[str], rows: Iterable[Row], *, ceiling: bool = False) -> dict[str, float]:
    """Return the strict micro F1 of each method on a set with other rows than its own.

    With ``ceiling`` the result includes what is attainable.
    """
    data = read_files(files, change=lambda _: rows)
    queries = find_query_groups(data)
    found = {m: judge_set(data, method(m), queries).summary["f1"] for m in methods}
    return found | ({CEILING: attainable(data, queries)} if ceiling else {})


def mixes(files: SetFiles, methods: Sequence[str]) -> list[dict[str, object]]:
    """Return the F1 for the sources of each choice of two or more formats (MultiRAG Table II).

    The result is empty for a set with unknown formats.
    """
    rows = []
    for chosen in formats_together(files):
        own = rows_in(files, chosen)
        found = scores(files, methods, own)
        rows.append({"formats": " + ".join(chosen), "sources": len({r[2] for r in own}), "claims": len(own), **found})
    return rows


def formats_together(files: SetFiles) -> list[tuple[str, ...]]:
    """Return every choice of two or more formats of a set."""
    formats = files.rules.formats
    return [chosen for size in range(2, len(formats) + 1) for chosen in combinations(formats, size)]


def rows_in(files: SetFiles, formats: Iterable[str]) -> list[Row]:
    """Return the rows of the sources that have one of these formats."""
    wanted = frozenset[str]().union(*(files.rules.formats[f] for f in formats))
    return [row for row in _rows(files) if row[2] in wanted]


def _rows(files: SetFiles) -> Iterator[Row]:
    return rows_of(files.claims, files.rules.left_out, [])


def thin_rows(files: SetFiles, part: float) -> Iterator[Row]:
    """Yield the rows of a set, with only a ``part`` of the entities that no query asks for, drawn by hash."""
    wanted = {fold(q.entity) for q in read_queries(files.queries)} if part < 1 else set()
    sampled: dict[str, bool] = {}
    for row in _rows(files):
        entity = row[0]
        if entity not in sampled:
            sampled[entity] = part >= 1 or draw_number("part", entity) < part or fold(entity) in wanted
        if sampled[entity]:
            yield row

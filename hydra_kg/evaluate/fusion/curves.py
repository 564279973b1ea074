"""Robustness of fusion methods when claims are masked, doubled or overwritten, and for mixes of source formats."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from hydra_kg.evaluate.fusion.claim_sets import SetFiles, read_files, read_queries, rows_of
from hydra_kg.evaluate.fusion.corruption import Corruption, Mode, draw_number, largest
from hydra_kg.evaluate.fusion.method_runs import attainable, find_query_groups, judge_set
from hydra_kg.fusion.normalisation.claim_values import Row
from hydra_kg.fusion.truth_discovery.methods import method
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

SHARES: Final = (0.3, 0.5, 0.7)
CURVE_METHODS: Final = ("vote", "truthfinder", "accu", "default")
CEILING: Final = "attainable"


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

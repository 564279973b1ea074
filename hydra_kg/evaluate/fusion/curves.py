"""Robustness: how methods of fusion fare as claims are masked, doubled or overwritten; and mixes of source formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from hydra_kg.evaluate.fusion.corruption import Corruption, Mode, drawn, largest
from hydra_kg.evaluate.fusion.runs import asked, attainable, judged
from hydra_kg.evaluate.fusion.sets import GOLD_SOURCES, folder_of, read_queries, read_set, rows_of
from hydra_kg.fusion.normalisation.values import Row
from hydra_kg.fusion.truth_discovery.methods import method
from hydra_kg.text.folding import fold

SHARES: Final = (0.3, 0.5, 0.7)
CURVE_METHODS: Final = ("vote", "truthfinder", "accu", "default")
CEILING: Final = "attainable"

FORMATS: Final[Mapping[str, Mapping[str, range]]] = {
    "movies": {"JSON": range(1, 5), "KG": range(5, 10), "CSV": range(10, 14)},
    "books": {"JSON": range(1, 4), "CSV": range(4, 7), "XML": range(7, 11)},
}
"""In which format each source (by its number) once came: FusionQuery, utils/utility.py; MultiRAG Table I counts so. The
claims of the pack are one table; a mix says which sources take part."""


@dataclass(frozen=True, slots=True)
class Point:
    """F1 of methods, one number a seed, under one corruption, and what is ``attainable`` (``CEILING``); ``share`` 0:
    the claims as they are."""

    corruption: str
    share: float
    f1: Mapping[str, tuple[float, ...]]


def curve(
    name: str,
    *,
    methods: Sequence[str] = CURVE_METHODS,
    seeds: int = 3,
    part: float = 1.0,
    listener: Callable[[Point], None] = lambda _: None,
) -> list[Point]:
    """The two largest sources made wrong, one after the other; any source masked; any given a second, wrong value.

    ``part``: of a large set, so much of the entities that no query asks for (drawn by hash) beside those that one does.
    """
    every = list(_thinned(name, part))
    plans = [(Mode.REPLACE, {source}) for source in largest(every, 2)] + [(Mode.MASK, set()), (Mode.ADD, set())]
    points = []
    for n, (mode, sources) in enumerate(plans):
        for share in (0.0, *SHARES) if n == 0 else SHARES:
            found: dict[str, list[float]] = {m: [] for m in (*methods, CEILING)}
            for seed in range(seeds if share else 1):
                change = Corruption(mode, share, seed, frozenset(sources), dated=name == "flights")
                for m, value in scores(name, methods, change(every), ceiling=True).items():
                    found[m].append(value)
            what = f"{mode.value} {', '.join(sources) or 'any source'}" if share else "as it is"
            points.append(Point(what, share, {m: tuple(v) for m, v in found.items()}))
            listener(points[-1])
    return points


def scores(name: str, methods: Sequence[str], rows: Iterable[Row], *, ceiling: bool = False) -> dict[str, float]:
    """Strict micro F1 of methods on a set of the pack with other rows than its own; ``ceiling``: with what is
    attainable."""
    data = read_set(name, change=lambda _: rows)
    queries = asked(data)
    found = {m: judged(data, method(m), queries).summary["f1"] for m in methods}
    return found | ({CEILING: attainable(data, queries)} if ceiling else {})


def mixes(name: str, methods: Sequence[str]) -> list[dict[str, object]]:
    """F1 with the sources of two formats or more (MultiRAG Table II); nothing for a set whose formats are not known."""
    formats = FORMATS.get(name, {})
    rows = []
    for size in range(2, len(formats) + 1):
        for chosen in combinations(formats, size):
            wanted = {f"source_{n}" for f in chosen for n in formats[f]}
            own = [row for row in _rows(name) if row[2] in wanted]
            found = scores(name, methods, own)
            rows.append(
                {"formats": " + ".join(chosen), "sources": len({r[2] for r in own}), "claims": len(own), **found}
            )
    return rows


def _rows(name: str) -> Iterator[Row]:
    return rows_of(folder_of(name) / "claims.tsv.gz", GOLD_SOURCES.get(name, frozenset()), [])


def _thinned(name: str, part: float) -> Iterator[Row]:
    wanted = {fold(q.entity) for q in read_queries([folder_of(name) / "queries.dev.jsonl"])} if part < 1 else set()
    sampled: dict[str, bool] = {}
    for row in _rows(name):
        entity = row[0]
        if entity not in sampled:
            sampled[entity] = part >= 1 or drawn("part", entity) < part or fold(entity) in wanted
        if sampled[entity]:
            yield row

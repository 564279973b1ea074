"""Sets of conflicting claims with queries: from the data pack or from files, in three layouts told by the header."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.fusion.score import MatchRule
from hydra_kg.fusion.normalisation.entity_names import same_books
from hydra_kg.fusion.normalisation.hierarchy import Hierarchy, read_hierarchy
from hydra_kg.fusion.normalisation.values import ClaimReading, Row, read_claims

RULES: Final = {
    "movies": MatchRule.NAMES,
    "books": MatchRule.NAMES,
    "flights": MatchRule.FLIGHTS,
    "birthplaces": MatchRule.PLACE,
    "heritages": MatchRule.PLACE,
}
# The gold of flights was taken from three of its sources: no method may see them.
GOLD_SOURCES: Final = {"flights": frozenset({"aa", "ua", "CO"})}
WIDE: Final = ("date", "source", "flight")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of one entity, and the gold values; two queries of one id with different gold have none."""

    id: str
    entity: str
    attribute: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that could not be read: its line, counted from 1, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class FusionSet:
    """One set, read. ``names``: the entities as the rows name them, each with its key. ``rejected``: rows left out."""

    name: str
    rule: MatchRule
    reading: ClaimReading
    names: dict[str, str]
    queries: tuple[Query, ...]
    rejected: tuple[Rejected, ...]


def folder_of(name: str) -> Path:
    """The folder of a set of the data pack (HYDRA_DATA). Raises NotFoundError."""
    base = Path(os.environ.get("HYDRA_DATA", "")) / "truth" / name
    if not os.environ.get("HYDRA_DATA") or not base.is_dir():
        raise NotFoundError(
            f"There is no set {name!r}.", remedy="Set HYDRA_DATA to the data pack, or give --claims and --queries."
        )
    return base


def read_set(
    name: str,
    *,
    claims: Path | None = None,
    queries: Sequence[Path] = (),
    hierarchy: Path | None = None,
    change: Callable[[Iterable[Row]], Iterable[Row]] | None = None,
) -> FusionSet:
    """A set by name, from the data pack or from the files given. The name decides the scorer's rule, and that flights
    leave out the sources of their gold; nothing else. ``change``: applied to the rows first (corruption).

    Raises NotFoundError, and FormatError for a file whose header is none of the three layouts.
    """
    if name not in RULES:
        raise NotFoundError(f"There is no set {name!r}.", remedy=f"Sets: {', '.join(RULES)}.")
    claims = claims or folder_of(name) / "claims.tsv.gz"
    queries = queries or [folder_of(name) / "queries.dev.jsonl"]
    hierarchy_file = hierarchy or claims.parent / "hierarchy.csv.gz"
    if not hierarchy and not hierarchy_file.is_file() and os.environ.get("HYDRA_DATA"):
        hierarchy_file = folder_of(name) / "hierarchy.csv.gz"
    tree = read_hierarchy(hierarchy_file) if hierarchy_file.is_file() else None
    rejected: list[Rejected] = []
    rows: Iterable[Row] = rows_of(claims, GOLD_SOURCES.get(name, frozenset()), rejected)
    reading, names = read_rows(change(rows) if change else rows, tree, titled=header(claims)[:3] != WIDE)
    return FusionSet(name, RULES[name], reading, names, read_queries(queries), tuple(rejected))


def read_rows(rows: Iterable[Row], hierarchy: Hierarchy | None, *, titled: bool) -> tuple[ClaimReading, dict[str, str]]:
    """The claims of rows, and every entity as it is named there with its key.

    ``titled``: entities have titles that may be written differently; else they are numbers, compared as they are.
    """
    if not titled:
        names: dict[str, str] = {}

        def key(entity: str) -> str:
            return names.setdefault(entity, entity)

        return read_claims(rows, hierarchy=hierarchy, entity=key), names
    rows = list(rows)
    book = same_books(rows)
    names = {entity: book(entity) for entity in dict.fromkeys(row[0] for row in rows)}
    return read_claims(rows, hierarchy=hierarchy, entity=names.__getitem__), names


def header(path: Path) -> tuple[str, ...]:
    """The column names of a tab-separated file."""
    with _open(path) as lines:
        return tuple(next(lines, "").rstrip("\n").split("\t"))


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def rows_of(path: Path, left_out: frozenset[str], rejected: list[Rejected]) -> Iterator[Row]:
    """Rows (entity, attribute, source, value) of a tab-separated file, gzipped or not.

    Layouts: source, entity, attribute, value · source, entity, value · date, source, flight and a column per attribute
    (empty cells say nothing). A row with another number of columns, or without entity or source, is rejected.
    """
    with _open(path) as lines:
        head = next(lines, "").rstrip("\n").split("\t")
        wide = tuple(head[:3]) == WIDE
        if not wide and head not in (["source", "entity", "attribute", "value"], ["source", "entity", "value"]):
            raise FormatError(f"{path.name} has the columns {', '.join(head)[:200]}: no layout of claims.")
        width, several = len(head), len(head) == 4
        for number, line in enumerate(lines, 2):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != width:
                rejected.append(Rejected(number, f"{len(cells)} columns instead of {width}"))
            elif not cells[0] or not cells[1] or (wide and not cells[2]):
                rejected.append(Rejected(number, "no source or no entity"))
            elif wide:
                if cells[1] not in left_out:
                    entity = f"{cells[0]} {cells[2]}"
                    for attribute, value in zip(head[3:], cells[3:], strict=True):
                        if value:
                            yield entity, attribute, cells[1], value
            elif cells[0] not in left_out:
                yield cells[1], cells[2] if several else "", cells[0], cells[-1]


def read_queries(paths: Sequence[Path]) -> tuple[Query, ...]:
    """Queries of JSON lines: id, entity, attribute, gold, and a date that goes before the entity where there is one."""
    found: dict[str, Query] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                doc = json.loads(line)
                entity = f"{doc['date']} {doc['entity']}" if "date" in doc else doc["entity"]
                query = Query(doc["id"], entity, doc.get("attribute", ""), tuple(doc["gold"]))
                other = found.get(query.id, query)
                found[query.id] = query if other.gold == query.gold else Query(query.id, entity, query.attribute, ())
    return tuple(found.values())

"""Sets of conflicting claims with queries, from the data pack or from files in three layouts.

The header of a file tells its layout.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.fusion.claim_set_rules import FILE, SetRules, rules_of
from hydra_kg.evaluate.fusion.score import MatchRule
from hydra_kg.fusion.normalisation.claim_values import ClaimReading, Row, read_claims
from hydra_kg.fusion.normalisation.entity_names import same_books
from hydra_kg.fusion.normalisation.hierarchy import Hierarchy, read_hierarchy
from hydra_kg.util.fast_dataclass import dataclass

WIDE: Final = ("date", "source")
_QUERIES: Final = ("queries.dev.jsonl", "queries.jsonl")


@dataclass(frozen=True, slots=True)
class Query:
    """A query about one entity, and its gold values.

    If two queries have one id and different gold, the query has no gold.
    """

    id: str
    entity: str
    attribute: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that could not be read: its line, counted from 1, and the reason."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class SetFiles:
    """The files of a set, and its rules."""

    name: str
    claims: Path
    queries: tuple[Path, ...]
    hierarchy: Path | None
    rules: SetRules

    @property
    def wide(self) -> bool:
        """Whether claims have one column for each attribute, and a day that is put before the entity."""
        return header(self.claims)[:2] == WIDE


@dataclass(frozen=True, slots=True)
class FusionSet:
    """One set of claims.

    - ``files``: its files.
    - ``names``: the entities as the claims name them, with their keys.
    - ``rejected``: the rows that were left out.
    """

    files: SetFiles
    reading: ClaimReading
    names: dict[str, str]
    queries: tuple[Query, ...]
    rejected: tuple[Rejected, ...]

    @property
    def name(self) -> str:
        """The name of the set."""
        return self.files.name

    @property
    def rule(self) -> MatchRule:
        """How the values of the set are compared."""
        return self.files.rules.rule


def files_of(
    name: str, *, claims: Path | None = None, queries: Sequence[Path] = (), rules: Path | None = None
) -> SetFiles:
    """Return a set by its name or its folder; given files replace its own. Raises NotFoundError."""
    short = Path(name).name
    folder = claims.parent if claims else folder_of(name)
    own = rules or folder / FILE
    found = rules_of(short, own)
    asked = tuple(queries) or (next((p for p in map(folder.joinpath, _QUERIES) if p.is_file()), folder / _QUERIES[0]),)
    tree = folder / "hierarchy.csv.gz"
    if not tree.is_file() and claims and os.environ.get("HYDRA_DATA"):
        tree = Path(os.environ["HYDRA_DATA"], "truth", short, tree.name)
    return SetFiles(short, claims or folder / "claims.tsv.gz", asked, tree if tree.is_file() else None, found)


def folder_of(name: str) -> Path:
    """Return the folder of a set: the given one, or one of the data pack (HYDRA_DATA). Raises NotFoundError."""
    if (Path(name) / "claims.tsv.gz").is_file():
        return Path(name)
    base = Path(os.environ.get("HYDRA_DATA", "")) / "truth" / name
    if not os.environ.get("HYDRA_DATA") or not base.is_dir():
        raise NotFoundError(
            f"There is no set {name!r}.",
            remedy="Set HYDRA_DATA to the data pack, give the set's folder, or --claims and --queries.",
        )
    return base


def read_set(
    name: str,
    *,
    claims: Path | None = None,
    queries: Sequence[Path] = (),
    rules: Path | None = None,
    change: Callable[[Iterable[Row]], Iterable[Row]] | None = None,
    raw_values: bool = False,
) -> FusionSet:
    """Return a set by name or folder, or from files, under ``rules``, its ``set.toml`` or its name's rules.

    ``change`` is applied to the rows first. With ``raw_values`` methods see values without normalisation. Raises
    NotFoundError or FormatError.
    """
    files = files_of(name, claims=claims, queries=queries, rules=rules)
    return read_files(files, change=change, raw_values=raw_values)


def read_files(
    files: SetFiles, *, change: Callable[[Iterable[Row]], Iterable[Row]] | None = None, raw_values: bool = False
) -> FusionSet:
    """Return the set in these files. Raises FormatError."""
    tree = read_hierarchy(files.hierarchy) if files.hierarchy and not raw_values else None
    rejected: list[Rejected] = []
    rows: Iterable[Row] = rows_of(files.claims, files.rules.left_out, rejected)
    rows = change(rows) if change else rows
    reading, names = read_rows(rows, tree, titled=not files.wide, raw_values=raw_values)
    return FusionSet(files, reading, names, read_queries(files.queries), tuple(rejected))


def read_rows(
    rows: Iterable[Row], hierarchy: Hierarchy | None, *, titled: bool, raw_values: bool = False
) -> tuple[ClaimReading, dict[str, str]]:
    """Return the claims of rows, and the key of each entity. With ``titled`` titles may be spelled differently."""
    if not titled:
        names: dict[str, str] = {}

        def key(entity: str) -> str:
            return names.setdefault(entity, entity)

        return read_claims(rows, hierarchy=hierarchy, entity=key, raw_values=raw_values), names
    rows = list(rows)
    book = same_books(rows)
    names = {entity: book(entity) for entity in dict.fromkeys(row[0] for row in rows)}
    return read_claims(rows, hierarchy=hierarchy, entity=names.__getitem__, raw_values=raw_values), names


def header(path: Path) -> tuple[str, ...]:
    """Return the column names of a tab-separated file."""
    with _open(path) as lines:
        return tuple(next(lines, "").rstrip("\n").split("\t"))


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def rows_of(path: Path, left_out: frozenset[str], rejected: list[Rejected]) -> Iterator[Row]:
    """Yield the rows (entity, attribute, source, value) of a tab-separated file in one of three layouts.

    - source, entity, attribute, value.
    - source, entity, value.
    - date, source, entity, and a column for each attribute.

    Rows that cannot be read are added to ``rejected``. Raises FormatError for any other header.
    """
    with _open(path) as lines:
        head = next(lines, "").rstrip("\n").split("\t")
        wide = tuple(head[:2]) == WIDE
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
    """Return the queries of JSON lines with id, entity, attribute and gold.

    If there is a date, it is put before the entity.
    """
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


def describe_formats(files: SetFiles) -> Iterator[dict[str, Any]]:
    """Yield a row for each format, or one for all sources if formats are unknown; ``relations`` counts claims."""
    counts: dict[str, tuple[set[str], set[str], list[int]]] = {}
    named = {source: name for name, sources in files.rules.formats.items() for source in sources}
    for entity, _, source, _ in rows_of(files.claims, files.rules.left_out, []):
        sources, entities, claims = counts.setdefault(named.get(source, ""), (set(), set(), [0]))
        sources.add(source)
        entities.add(entity)
        claims[0] += 1
    queries = len(read_queries(files.queries))
    for name in sorted(counts, key=[*files.rules.formats, ""].index):
        sources, entities, claims = counts[name]
        yield {
            "set": files.name,
            "format": name,
            "sources": len(sources),
            "entities": len(entities),
            "relations": claims[0],
            "queries": queries,
        }

"""The layout of ``eval fusion`` in a folder: claims, queries with gold, a hierarchy, and the rules of the set."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hydra_kg.errors import FormatError
from hydra_kg.util.fast_dataclass import dataclass

CLAIMS: Final = "claims.tsv.gz"
QUERIES: Final = "queries.jsonl"
HIERARCHY: Final = "hierarchy.csv.gz"
_SPACE: Final = re.compile(r"\s+")

ClaimRow = Sequence[str]
"""The cells of one line of claims, in the order of the set's header."""


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """Query about one entity with its gold values. ``date`` is put before the entity if claims have one."""

    id: str
    entity: str
    attribute: str
    gold: tuple[str, ...]
    date: str = ""


@dataclass(frozen=True, slots=True)
class PublicClaims:
    """Description of how a set of claims is published.

    - ``claims``, ``queries``: read the files.
    - ``head``: the columns.
    - ``rules``: the text of its ``set.toml``, or "".
    - ``hierarchy``: picks the file with the hierarchy, or None.
    """

    name: str
    title: str
    files: str
    head: tuple[str, ...]
    claims: Callable[[Sequence[Path]], Iterator[ClaimRow]]
    queries: Callable[[Sequence[Path]], Iterator[GoldQuery]]
    rules: str = ""
    hierarchy: Callable[[Sequence[Path]], Path | None] = lambda _: None


def convert(chosen: PublicClaims, files: Sequence[Path], out: Path) -> Mapping[str, int]:
    """Write a set to ``out`` after everything is read; return counts. Raises FormatError, NotFoundError or OSError."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=out, prefix=".part") as folder:
        part = Path(folder)
        claims = _write_claims(part / CLAIMS, chosen.head, chosen.claims(files))
        queries = _write_queries(part / QUERIES, chosen.queries(files))
        if not claims or not queries:
            raise FormatError(
                f"The files hold {claims} claims and {queries} queries of {chosen.title}.",
                remedy=f"Give all of these: {chosen.files}.",
            )
        if tree := chosen.hierarchy(files):
            with tree.open("rb") as source, gzip.open(part / HIERARCHY, "wb") as target:
                shutil.copyfileobj(source, target)
        if chosen.rules:
            (part / "set.toml").write_text(chosen.rules, "utf-8")
        for file in part.iterdir():
            file.replace(out / file.name)
    return {"claims": claims, "queries": queries}


def csv_rows(path: Path, *, width: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a comma-separated file below its header, each with its line. Raises FormatError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            next(reader, None)
            for row in reader:
                if len(row) != width:
                    raise FormatError(f"{path.name}, line {reader.line_num:,}: {len(row)} columns instead of {width}.")
                yield reader.line_num, row
    except (UnicodeDecodeError, csv.Error) as e:
        raise FormatError(f"{path.name} cannot be read: {e}.", remedy="Get the file again.") from e


def _write_claims(path: Path, head: Sequence[str], rows: Iterable[ClaimRow]) -> int:
    count = 0
    with gzip.open(path, "wt", encoding="utf-8", newline="\n") as file:
        file.write("\t".join(head) + "\n")
        for row in rows:
            file.write("\t".join(_SPACE.sub(" ", cell).strip() for cell in row) + "\n")
            count += 1
    return count


def _write_queries(path: Path, queries: Iterable[GoldQuery]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for q in queries:
            doc = {"id": q.id, **({"date": q.date} if q.date else {}), "entity": q.entity}
            file.write(json.dumps({**doc, "attribute": q.attribute, "gold": q.gold}, ensure_ascii=False) + "\n")
            count += 1
    return count

"""Movies and Books as FusionQuery (Zhu et al., PVLDB 2024) publishes them: a folder with a graph for each source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.public_claims.claims_layout import ClaimRow, GoldQuery, PublicClaims
from hydra_kg.evaluate.public_questions.file_records import cells, json_records, wrong

_SOURCE: Final = re.compile(r"triples_(\d{1,4})")
_ASKED: Final = frozenset({"what", "where", "when", "who", "dummy node"})
"""Names in a query graph for what is asked."""


def claims(paths: Sequence[Path]) -> Iterator[ClaimRow]:
    """Yield a row for each triple of ``data2kg/triples_N``, whose ids ``ent_ids_N`` and ``rel_ids_N`` resolve."""
    for number, folder in sorted(_sources(paths)):
        entities, relations = (_names(folder / f"{kind}_ids_{number}") for kind in ("ent", "rel"))
        path = folder / f"triples_{number}"
        for line, (head, relation, tail) in cells(path, width=3):
            try:
                row = entities[head], relations[relation], entities[tail]
            except KeyError as e:
                raise wrong(path.name, line, f"there is no id {e} in ent_ids_{number}, rel_ids_{number}") from None
            yield f"source_{number}", *row


def queries(paths: Sequence[Path], *, prefix: str) -> Iterator[GoldQuery]:
    """Yield the triple of each query graph that has what is asked; the others only describe its entity."""
    for folder in paths:
        path = folder / "query.json"
        for line, number, record in json_records(path):
            try:
                found = _find_asked_pair(record)
                gold = tuple(dict.fromkeys(str(value) for value in record["answers"]))
            except (KeyError, TypeError, ValueError, AttributeError) as e:
                raise wrong(path.name, line, f"it is not a query graph ({type(e).__name__}: {e})") from e
            if found:
                yield GoldQuery(f"{prefix}-{number}", *found, gold)


def _find_asked_pair(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (entity, attribute) of the first triple with one end that is asked for."""
    graph = record["queryGraph"]
    entities, relations = graph["ent_ids"], graph["rel_ids"]
    for triple in graph["triples"]:
        head, relation, tail = str(triple).strip().split("-")
        ends = str(entities[head]), str(entities[tail])
        if (ends[0].lower() in _ASKED) != (ends[1].lower() in _ASKED):
            return ends[ends[0].lower() in _ASKED], str(relations[relation])
    return None


def _sources(paths: Sequence[Path]) -> Iterator[tuple[int, Path]]:
    for path in paths:
        folder = path / "data2kg"
        if not folder.is_dir():
            raise NotFoundError(f"{path} has no folder data2kg.", remedy="Give the set's folder, such as data/movie.")
        yield from ((int(m[1]), folder) for file in folder.iterdir() if (m := _SOURCE.fullmatch(file.name)))


def _names(path: Path) -> dict[str, str]:
    found = {key: name for _, (key, name) in cells(path, width=2)}
    if not found:
        raise FormatError(f"{path.name} is empty.", remedy="Get the file again.")
    return found


def _set(name: str, title: str, folder: str, prefix: str) -> PublicClaims:
    head = ("source", "entity", "attribute", "value")
    return PublicClaims(name, title, folder, head, claims, lambda paths: queries(paths, prefix=prefix))


MOVIES: Final = _set("movies", "Movies", "the folder data/movie, with query.json and data2kg", "movie")
BOOKS: Final = _set("books", "Books", "the folder data/book, with query.json and data2kg", "book")

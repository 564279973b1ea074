"""Published sets of conflicting claims: of the deep web, of FusionQuery, and of places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.public_claims.claims_layout import ClaimRow, GoldQuery, PublicClaims, csv_rows
from hydra_kg.evaluate.public_questions.file_records import cells, json_records, wrong

_SOURCE: Final = re.compile(r"triples_(\d{1,4})")
_ASKED: Final = frozenset({"what", "where", "when", "who", "dummy node"})
"""Names in a query graph for what is asked."""

_FILES: Final = "claims.csv, groundtruths.csv and hierarchy.csv"
FLIGHT: Final = tuple(
    "scheduled_departure actual_departure departure_gate scheduled_arrival actual_arrival arrival_gate".split()
)
STOCK: Final = tuple(
    (
        "change_percent last_trading_price open_price change volume high_today low_today previous_close "
        "high_52_weeks low_52_weeks shares_outstanding price_earnings market_cap yield dividend "
        "earnings_per_share"
    ).split()
)
_DATE: Final = re.compile(r"(20\d\d)[-_]?(\d\d)[-_]?(\d\d)")
_GOLD: Final = re.compile(r"truth|gold|nasdaq", re.IGNORECASE)
_ENCODING: Final = "iso-8859-1"
_RULES: Final = '# How values are compared, and how often each format comes: see docs/data.md.\nrule = "numbers"\n'


def claims_of_graphs(paths: Sequence[Path]) -> Iterator[ClaimRow]:
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


def queries_of_graphs(paths: Sequence[Path], *, prefix: str) -> Iterator[GoldQuery]:
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


def _set_of_graphs(name: str, title: str, folder: str, prefix: str) -> PublicClaims:
    head = ("source", "entity", "attribute", "value")
    return PublicClaims(
        name, title, folder, head, claims_of_graphs, lambda paths: queries_of_graphs(paths, prefix=prefix)
    )


MOVIES: Final = _set_of_graphs("movies", "Movies", "the folder data/movie, with query.json and data2kg", "movie")
BOOKS: Final = _set_of_graphs("books", "Books", "the folder data/book, with query.json and data2kg", "book")


def claims_of_places(paths: Sequence[Path]) -> Iterator[ClaimRow]:
    """Yield the rows of ``claims.csv``: object, source, value."""
    for _, (entity, source, value) in csv_rows(_find_path(paths, "claims.csv"), width=3):
        yield source, entity, value


def queries_of_places(paths: Sequence[Path], *, prefix: str, attribute: str) -> Iterator[GoldQuery]:
    """Yield the queries of ``groundtruths.csv``: object, and value from the most exact place to the largest."""
    for number, (_, (entity, value)) in enumerate(csv_rows(_find_path(paths, "groundtruths.csv"), width=2)):
        yield GoldQuery(f"{prefix}-{number}", entity, attribute, (value,))


def hierarchy(paths: Sequence[Path]) -> Path:
    """Return the path of ``hierarchy.csv`` (ID, name, parentID), which is copied unchanged."""
    return _find_path(paths, "hierarchy.csv")


def _find_path(paths: Sequence[Path], name: str) -> Path:
    for path in paths:
        file = path / name if path.is_dir() else path
        if file.name == name and file.is_file():
            return file
    raise NotFoundError(f"There is no {name} among the files.", remedy=f"Give {_FILES}, or their folder.")


def _set_of_places(name: str, title: str, attribute: str) -> PublicClaims:
    head = ("source", "entity", "value")
    asked = partial(queries_of_places, prefix=name, attribute=attribute)
    return PublicClaims(name, title, _FILES, head, claims_of_places, asked, hierarchy=hierarchy)


BIRTHPLACES: Final = _set_of_places("birthplaces", "Birthplaces", "place_of_birth")
HERITAGES: Final = _set_of_places("heritages", "Heritages", "located_in")


def claims_of_days(paths: Sequence[Path], *, attributes: Sequence[str]) -> Iterator[ClaimRow]:
    """Yield rows with date, source, entity and a column for each attribute.

    Raises FormatError for a row without source or entity.
    """
    for path in paths:
        if not is_gold(path):
            date = date_of(path)
            for line, row in cells(path, width=2 + len(attributes), encoding=_ENCODING):
                if not row[0] or not row[1]:
                    raise wrong(path.name, line, "no source or no entity")
                yield date, *row


def queries_of_days(
    paths: Sequence[Path], *, attributes: Sequence[str], prefix: str, source: bool
) -> Iterator[GoldQuery]:
    """Yield a query for each gold value. ``source`` says whether gold files begin with a column for their source."""
    for path in paths:
        if is_gold(path):
            date, first = date_of(path), int(source)
            for line, row in cells(path, width=first + 1 + len(attributes), encoding=_ENCODING):
                entity = row[first]
                if not entity:
                    raise wrong(path.name, line, "no entity")
                for attribute, value in zip(attributes, row[first + 1 :], strict=True):
                    if value:
                        yield GoldQuery(f"{prefix}-{date}-{entity}-{attribute}", entity, attribute, (value,), date)


def is_gold(path: Path) -> bool:
    """Return True if a file has gold, by its name or its folder's name (``flight_truth``, ``nasdaq_truth``)."""
    return bool(_GOLD.search(path.name) or _GOLD.search(path.parent.name))


def date_of(path: Path) -> str:
    """Return the day in a file name: ``20111201`` for ``2011-12-01-data.txt``. Raises FormatError."""
    found = _DATE.search(path.name)
    if not found:
        raise FormatError(f"The name of {path.name} contains no date.", remedy="Keep the names of the published files.")
    return "".join(found.groups())


FLIGHTS: Final = PublicClaims(
    "flights",
    "Flights",
    "clean_flight/*.txt and flight_truth/*.txt",
    ("date", "source", "flight", *FLIGHT),
    partial(claims_of_days, attributes=FLIGHT),
    partial(queries_of_days, attributes=FLIGHT, prefix="flight", source=False),
)
STOCKS: Final = PublicClaims(
    "stocks",
    "Stocks",
    "clean_stock/*.txt and nasdaq_truth/*.txt",
    ("date", "source", "symbol", *STOCK),
    partial(claims_of_days, attributes=STOCK),
    partial(queries_of_days, attributes=STOCK, prefix="stock", source=True),
    rules=_RULES,
)
CLAIM_SETS: Final[Mapping[str, PublicClaims]] = {
    chosen.name: chosen for chosen in (MOVIES, BOOKS, FLIGHTS, STOCKS, BIRTHPLACES, HERITAGES)
}
"""Every set of claims that ``eval convert`` reads, by name."""

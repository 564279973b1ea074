"""Birthplaces and Heritages (Jung et al., EDBT 2019): three comma-separated files, with a hierarchy of places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hydra_kg.errors import NotFoundError
from hydra_kg.evaluate.public_claims.claims_layout import ClaimRow, GoldQuery, PublicClaims, csv_rows

_FILES: Final = "claims.csv, groundtruths.csv and hierarchy.csv"


def claims(paths: Sequence[Path]) -> Iterator[ClaimRow]:
    """Yield the rows of ``claims.csv``: object, source, value."""
    for _, (entity, source, value) in csv_rows(_find_path(paths, "claims.csv"), width=3):
        yield source, entity, value


def queries(paths: Sequence[Path], *, prefix: str, attribute: str) -> Iterator[GoldQuery]:
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


def _set(name: str, title: str, attribute: str) -> PublicClaims:
    head = ("source", "entity", "value")
    asked = partial(queries, prefix=name, attribute=attribute)
    return PublicClaims(name, title, _FILES, head, claims, asked, hierarchy=hierarchy)


BIRTHPLACES: Final = _set("birthplaces", "Birthplaces", "place_of_birth")
HERITAGES: Final = _set("heritages", "Heritages", "located_in")

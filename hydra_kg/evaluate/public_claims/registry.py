"""Every set of claims that ``eval convert`` reads, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.evaluate.public_claims.claims_layout import PublicClaims
from hydra_kg.evaluate.public_claims.deep_web import FLIGHTS, STOCKS
from hydra_kg.evaluate.public_claims.fusion_query import BOOKS, MOVIES
from hydra_kg.evaluate.public_claims.place_claims import BIRTHPLACES, HERITAGES

CLAIM_SETS: Final[Mapping[str, PublicClaims]] = {
    chosen.name: chosen for chosen in (MOVIES, BOOKS, FLIGHTS, STOCKS, BIRTHPLACES, HERITAGES)
}

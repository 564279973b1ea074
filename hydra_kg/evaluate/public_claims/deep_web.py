"""Flights and Stocks of the deep web (Li et al., PVLDB 2013): a tab-separated file for each day, and gold files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hydra_kg.errors import FormatError
from hydra_kg.evaluate.public_claims.claims_layout import ClaimRow, GoldQuery, PublicClaims
from hydra_kg.evaluate.public_questions.file_records import cells, wrong

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


def claims(paths: Sequence[Path], *, attributes: Sequence[str]) -> Iterator[ClaimRow]:
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


def queries(paths: Sequence[Path], *, attributes: Sequence[str], prefix: str, source: bool) -> Iterator[GoldQuery]:
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
    partial(claims, attributes=FLIGHT),
    partial(queries, attributes=FLIGHT, prefix="flight", source=False),
)
STOCKS: Final = PublicClaims(
    "stocks",
    "Stocks",
    "clean_stock/*.txt and nasdaq_truth/*.txt",
    ("date", "source", "symbol", *STOCK),
    partial(claims, attributes=STOCK),
    partial(queries, attributes=STOCK, prefix="stock", source=True),
    rules=_RULES,
)

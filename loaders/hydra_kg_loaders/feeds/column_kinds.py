"""Decide what a column's values are: numbers, amounts with a unit, dates, addresses, flags, shared things, or text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.feeds.model import FeedColumn
from hydra_kg_loaders.feeds.profile import MONEY, QUANTITY, Profile, unit
from hydra_kg_loaders.feeds.staging import StagedTable

if TYPE_CHECKING:
    import duckdb

LONGEST_NAME: Final = 80
"""Number of characters of the longest text that may name a thing."""

_SMALL: Final = 2_000
"""Largest table, in rows, where every short text names a thing. In larger tables only a repeated one does."""

_UNIT: Final = re.compile(r"^(?P<phrase>.+?)[\s_]*[(\[](?P<unit>[^()\[\]]{1,15})[)\]]$")
_CURRENCY: Final = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW"}
_MONEY_GROUPS: Final = (1, 4)
_QUANTITY_GROUP: Final = (2,)
_LONG_TEXTS: Final = frozenset(
    "description abstract summary about comment comments note notes remark remarks text".split()
)
_SECRET: Final = frozenset("password passwd pwd secret token apikey passcode".split())
"""Words in the names of columns with secrets. Such columns are not loaded."""

_NO_GROUP: Final = frozenset("phone telephone fax mobile address line street zip postcode postal".split())


def column(db: duckdb.DuckDBPyConnection, table: StagedTable, place: int, found: Profile) -> FeedColumn:
    """Return the description of a column that is neither key nor reference."""
    name = table.columns[place]
    said = _UNIT.match(name)
    phrase = column_phrases.phrase(said["phrase"] if said else name)
    own = said["unit"].strip() if said else ""
    parts = set(column_phrases.normalise_words(name))
    if found.filled == 0 or parts & _SECRET:
        return FeedColumn(name, "skip", phrase)
    if found.mostly("flag", 1.0) and found.distinct <= 2 and not (found.mostly("number") and found.distinct > 2):
        numeric = found.mostly("integer", 1.0)
        if not numeric or found.distinct == 2:
            return FeedColumn(name, "flag", phrase)
    if found.mostly("year") and "year" in parts:
        return FeedColumn(name, "year", phrase)
    if found.mostly("number"):
        kind = "money" if own in _CURRENCY or own in _CURRENCY.values() else "quantity" if own else "number"
        return FeedColumn(name, kind, phrase, _CURRENCY.get(own, own))
    if found.mostly("day"):
        return FeedColumn(name, "date", phrase)
    if found.mostly("moment"):
        return FeedColumn(name, "moment", phrase)
    if found.mostly("money"):
        sign = unit(db, table, place, MONEY, _MONEY_GROUPS)
        return (
            FeedColumn(name, "money", phrase, _CURRENCY.get(sign, sign)) if sign else FeedColumn(name, "text", phrase)
        )
    if found.mostly("quantity") and (of := unit(db, table, place, QUANTITY, _QUANTITY_GROUP)):
        return FeedColumn(name, "quantity", phrase, of)
    if len(found.forms) == 1:
        form = found.forms[0]
        return FeedColumn(name, "moment" if "%H" in form else "date", phrase, form=form)
    if found.mostly("email"):
        return FeedColumn(name, "email", phrase)
    if found.mostly("link"):
        return FeedColumn(name, "link", phrase)
    return FeedColumn(name, "group" if _groups(name, parts, found) else "text", phrase)


def _groups(name: str, parts: set[str], found: Profile) -> bool:
    """Return True if the texts of a column name things that rows share: a city, a colour, a status."""
    if found.longest > LONGEST_NAME or found.length > 40 or parts & _LONG_TEXTS or len(found.forms) > 1:
        return False
    if parts & {"date", "time"} or (parts & _NO_GROUP and found.distinct_share > 0.5):
        return False
    return found.filled <= _SMALL or found.distinct_share <= 0.5

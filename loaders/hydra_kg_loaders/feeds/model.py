"""What the tables of a feed are taken for: frozen values that SQL, a text for people and ``feeds.yaml`` are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ROWS: Final[Mapping[str, str]] = {
    "thing": "each row is a thing with a name",
    "part": "each row says more about a thing of another table",
    "pair": "each row joins two things",
    "join": "each row joins things and says more about that; it has no name of its own",
    "skip": "not loaded",
}
"""What the rows of a table may be."""

ROLES: Final[Mapping[str, str]] = {
    "key": "tells the rows apart",
    "name": "what the rows are called, or a part of that",
    "reference": "a row of another table",
    "group": "a thing that several rows may share",
    "number": "a number",
    "money": "a number with its currency",
    "quantity": "a number with its unit",
    "date": "a day",
    "moment": "a day and a time",
    "year": "a year",
    "text": "a text",
    "email": "an e-mail address",
    "link": "an address on the web",
    "flag": "yes or no",
    "skip": "not loaded",
}
"""What a column may be."""


@dataclass(frozen=True, slots=True)
class FeedColumn:
    """A column: ``phrase`` of a row · ``unit`` · ``form`` of dates (``strptime``), "" for ISO."""

    name: str
    role: str
    phrase: str
    unit: str = ""
    form: str = ""
    also: tuple[str, ...] = ()
    """Other words for what it says, to ask with."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns that name rows elsewhere.

    ``share``: of distinct ``values`` found · ``why``: other reasons · ``sure``: taken without asking.
    """

    table: str
    columns: tuple[str, ...]
    to: str
    to_columns: tuple[str, ...]
    phrase: str
    share: float = 1.0
    values: int = 0
    why: str = ""
    sure: bool = True
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedTable:
    """A table: ``noun`` of a row, ``key`` and ``name`` columns."""

    name: str
    noun: str
    rows: str
    key: tuple[str, ...]
    called: tuple[str, ...]
    columns: tuple[FeedColumn, ...]
    files: tuple[str, ...] = ()
    size: int = 0
    also: tuple[str, ...] = ()
    """Other nouns for what one row is."""
    metrics: tuple[tuple[str, str], ...] = ()
    """Columns that formulas compute from others: ``("margin", "(price - cost) / price")``."""

    def column(self, name: str) -> FeedColumn:
        """Return the column of a name."""
        return next(c for c in self.columns if c.name == name)

    def place(self, name: str) -> int:
        """Where in the table the column of a name is."""
        return next(n for n, c in enumerate(self.columns) if c.name == name)


@dataclass(frozen=True, slots=True)
class FeedModel:
    """All tables of one source with the references between them; ``doubtful``: those that a person should look at."""

    name: str
    tables: tuple[FeedTable, ...]
    references: tuple[Reference, ...]
    doubtful: tuple[Reference, ...] = field(default=())
    notes: tuple[str, ...] = ()
    """What a person should know about the rows: which were set aside, merged, or have no key."""

    def table(self, name: str) -> FeedTable:
        """Return the table of a name."""
        return next(t for t in self.tables if t.name == name)

    def of(self, table: str) -> list[Reference]:
        """Return what the rows of a table refer to, in the order of its columns."""
        places = {c.name: n for n, c in enumerate(self.table(table).columns)}
        return sorted((r for r in self.references if r.table == table), key=lambda r: places[r.columns[0]])

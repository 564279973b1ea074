"""The model of a feed's tables: frozen values from which SQL, a text for people and ``feeds.yaml`` are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass, field

ROWS: Final[Mapping[str, str]] = {
    "thing": "each row is a thing with a name",
    "part": "each row says more about a thing of another table",
    "pair": "each row joins two things",
    "join": "each row joins things and says more about that; it has no name of its own",
    "skip": "not loaded",
}
"""The kinds of rows."""

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
"""The roles of columns."""


@dataclass(frozen=True, slots=True)
class FeedColumn:
    """A column of a table.

    Attributes:
        phrase: What the column says of a row, in words.
        unit: The unit of its amounts.
        form: The format of its dates (``strptime``), "" for ISO.
    """

    name: str
    role: str
    phrase: str
    unit: str = ""
    form: str = ""
    also: tuple[str, ...] = ()
    """Other phrases for the column, to ask with."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns that name rows of another table.

    Attributes:
        share: The share of distinct ``values`` that are found there.
        why: Other reasons.
        sure: Whether it is used without asking a person.
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
    """A table, with the ``noun`` of a row and the columns of its key and name."""

    name: str
    noun: str
    rows: str
    key: tuple[str, ...]
    called: tuple[str, ...]
    columns: tuple[FeedColumn, ...]
    files: tuple[str, ...] = ()
    size: int = 0
    also: tuple[str, ...] = ()
    """Other nouns for a row."""
    metrics: tuple[tuple[str, str], ...] = ()
    """Computed columns with their formulas: ``("margin", "(price - cost) / price")``."""

    def column(self, name: str) -> FeedColumn:
        """Return the column with a name."""
        return next(c for c in self.columns if c.name == name)

    def place(self, name: str) -> int:
        """Return the place of the column with a name."""
        return next(n for n, c in enumerate(self.columns) if c.name == name)


@dataclass(frozen=True, slots=True)
class FeedModel:
    """All tables of one source with the references between them. ``doubtful`` has those that a person should check."""

    name: str
    tables: tuple[FeedTable, ...]
    references: tuple[Reference, ...]
    doubtful: tuple[Reference, ...] = field(default=())
    notes: tuple[str, ...] = ()
    """Remarks for people about the rows: which were set aside, merged, or have no key."""

    def table(self, name: str) -> FeedTable:
        """Return the table with a name."""
        return next(t for t in self.tables if t.name == name)

    def of(self, table: str) -> list[Reference]:
        """Return the references of a table's rows, in the order of its columns."""
        places = {c.name: n for n, c in enumerate(self.table(table).columns)}
        return sorted((r for r in self.references if r.table == table), key=lambda r: places[r.columns[0]])

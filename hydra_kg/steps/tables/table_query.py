"""What a question about tables asks for: columns of rows that meet conditions; counts, sums, groups and orders."""

from __future__ import annotations

from typing import Final, Literal

from hydra_kg.domain import Ids
from hydra_kg.plan.model import Function
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.util.fast_dataclass import dataclass, field

Do = Literal["list", "count", "avg", "median", "sum", "max", "min", "share"]
FUNCTIONS: Final[dict[str, Function]] = {"avg": "mean", "median": "median", "sum": "sum", "max": "max", "min": "min"}
"""Functions of the numbers of a column, with their names in plans."""
COMPUTED: Final = frozenset(FUNCTIONS)


@dataclass(frozen=True, slots=True, eq=False)
class RowCondition:
    """A condition on the rows of ``table``.

    It is one of these:

        - ``column`` has one of ``places``;
        - ``column`` has a number within [``low``, ``high``];
        - ``column`` is beyond the ``other`` column of its row;
        - ``column`` is beyond the ``than`` (avg, median, max, min) of itself;
        - ``column`` has a text that contains ``like``;
        - ``count``: so many rows of ``table`` belong to the row in question;
        - none of these: there is such a row.

    ``negated`` rows must not meet it. A condition that is ``alone`` is met by a row of its own, not by the same row as
    other conditions.
    """

    table: int
    column: Column | None = None
    places: Ids | None = None
    low: float = float("-inf")
    high: float = float("inf")
    than: str = ""
    beyond: Ids | None = None
    """Rows of the same table: the value has to be above (`low` is finite) or below theirs."""
    other: Column | None = None
    """Another column of the same row: the value has to be above (`low` is finite), below, or the same (both are)."""
    inner: TableQuery | None = None
    """A query over the same table whose rows are meant: the ward *with the most beds*."""
    like: tuple[str, str] = ("", "")
    count: tuple[str, float] = ("", 0.0)
    negated: bool = False
    missing: bool = False
    """Whether the column has to be empty."""
    alone: bool = False
    at: int = -1
    """Place of its word in the question."""
    either: tuple[RowCondition, ...] = ()
    """Other conditions of which one is enough."""
    text: str = ""


@dataclass(slots=True, eq=False)
class TableQuery:
    """A question as columns.

    Args:
        base: The table whose rows are meant.
        do: What is done with the columns.
        columns: The columns that are shown, () for the names of the rows.
        where: The conditions on the rows.
        group: The column for each value of which the answer is given.
        by: The column that orders the rows.
        by_count: The table whose number of rows orders them.
        down: Whether the greatest comes first.
        limit: How many of the first are shown, 0 for all.
        cost: The cost of what is unsure about the query.
    """

    base: int
    do: Do = "list"
    columns: list[Column] = field(default_factory=list)
    where: list[RowCondition] = field(default_factory=list)
    either: list[RowCondition] = field(default_factory=list)
    """Conditions of which one is enough, besides those of ``where``."""
    group: Column | None = None
    by: Column | None = None
    by_count: int = -1
    by_sum: bool = False
    """Whether what it is ordered by is added up where a row has several."""
    by_values: bool = False
    """Whether the number of values in the column orders them: who has the most phones."""
    down: bool = False
    limit: int = 0
    nth: int = 1
    """Which one in that order is first: 2 for the second largest."""
    listed: bool = False
    """Whether its order is that of the rows in their file."""
    adjacent: int = 0
    """Which row beside the one that meets the conditions is meant: 1 the next in their file, -1 the one before."""
    aged: bool = False
    """Whether it is asked how old the rows are, of which the column says when they began."""
    differ: bool = False
    """Whether denied conditions take away values that any row has, not rows."""
    having: tuple[str, float] = ("", 0.0)
    """How many rows a group needs."""
    bound: tuple[str, float] = ("", 0.0)
    """What the mean or the sum of a group must be."""
    counts_groups: bool = False
    """Whether it is asked how many groups there are: how many categories have more than 2 products."""
    wanted: list[RowCondition] = field(default_factory=list)
    """Of a share: what those that are counted are like."""
    against: list[RowCondition] = field(default_factory=list)
    """Of a ratio: what those are like to which the ones counted are compared."""
    whole: float = 100.0
    """What all of them are, of a share: 100 for per cent."""
    among: list[RowCondition] = field(default_factory=list)
    prefer: dict[int, float] = field(default_factory=dict)
    """Relations that the question names, with what they cost as a step between tables."""
    ways: dict[int, list[int]] = field(default_factory=dict)
    overrun: tuple[Column, Column] | None = None
    """Two dates of a row whose difference in days is asked for: how many days late a loan was returned."""
    holds_today: bool = False
    """Whether only rows are meant that hold today, by their columns "from" and "until"."""
    beyond_sheets: bool = False
    """Whether no reading of whole sheets can state it: an amount in another unit, a month, two columns compared."""
    is_cell: bool = False
    """Whether it is one cell by row and column, so that names left over are only unchecked."""
    shows_nothing: bool = False
    """Whether the question names neither its table, nor a column, nor a group, as statements do."""
    by_verb: bool = False
    """Whether the column shown is the only one that a verb can mean: who teaches a class that has a trainer."""
    placed: set[int] = field(default_factory=set)
    """Places of words in the question that say which of two references is meant."""
    unplaced: tuple[str, ...] = ()
    """Content words of the question that nothing in the query accounts for."""
    cost: float = 0.0
    structure: float = 0.0
    """The part of the cost that is not of words, but of ways to other tables and of what fits the question badly."""
    notes: list[str] = field(default_factory=list)

    @property
    def is_unordered(self) -> bool:
        """Return True if neither a column, nor a number of rows, nor the file orders the rows."""
        return self.by is None and self.by_count < 0 and not self.listed

    @property
    def is_unrestricted(self) -> bool:
        """Return True if all rows are shown or counted: no condition, group, order or share chooses among them."""
        chosen = self.where or self.either or self.wanted or self.among or self.group or self.by or self.limit
        return not (chosen or self.adjacent or self.holds_today) and self.by_count < 0 and self.do in ("list", "count")

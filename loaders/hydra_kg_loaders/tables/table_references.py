"""Names of tables after their files, parts of one table, and whether tables refer to one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, permutations
from pathlib import Path
from typing import Final

from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.tables.grid import open_rows, split
from hydra_kg_loaders.tables.table_headers import LayoutChoice

KEY_WORDS: Final = frozenset({"id", "code", "key", "no", "nr", "number"})
"""The last words in the names of columns of keys."""

_ROWS: Final = 5_000
"""Number of rows of each table that are looked at."""

_FOUND: Final = 0.9
"""Share of a column's values that must be names in the other table."""

Words = tuple[str, ...]
_SUFFIX: Final = re.compile(
    r"(\.(csv|tsv|tab|txt|parquet|json|geojson|jsonl|ndjson|xml|ya?ml|gz|bz2|zst))+$", re.IGNORECASE
)
_PART: Final = re.compile(r"[-_. ]*(part|chunk)?[-_. ]*[0-9]{1,10}([-_][0-9a-f-]{20,}.*)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first rows of a table: the words of its name and headings, its columns of cells, and whether that is all."""

    name: Words
    headings: tuple[Words, ...]
    columns: tuple[tuple[str, ...], ...]
    whole: bool


def read_beginning(file: Path, choice: LayoutChoice) -> Beginning:
    """Return the beginning of a table. Raises FormatError."""
    rows = open_rows(file, choice=choice)
    found = [line[1:] for line in islice(split(rows), _ROWS + 1)]
    width = len(rows.columns)
    padded = [[cell.strip() for cell in (line + [""] * width)[:width]] for line in found[:_ROWS]]
    columns = tuple(tuple(line[place] for line in padded) for place in range(width))
    return Beginning(_words(table_name(file)), tuple(map(_words, rows.columns)), columns, len(found) <= _ROWS)


def refer(tables: Sequence[Beginning]) -> bool:
    """Return True if a column of one table refers to another table."""
    return any(
        _is_reference(child, place, parent)
        for parent, child in permutations(tables, 2)
        for place in range(len(child.headings))
    )


def _is_reference(child: Beginning, place: int, parent: Beginning) -> bool:
    """Return True if a column refers to the first column of another table.

    The column has the name of a key there ("member_id"), and is not the first one here. Or it has the name of that
    column or table ("recipe" of recipes), it repeats values, and nearly all of them are there. Two tables that share
    more than this column may state the same things, so they are sources of their own.
    """
    if not parent.headings or not parent.headings[0]:
        return False
    key, own = parent.headings[0], child.headings[place]
    if key[-1] in KEY_WORDS and own == key:
        return place > 0 and child.headings[0] != key
    if own not in {key, parent.name} or set(child.headings) & set(parent.headings) - {own}:
        return False
    names, values = [cell for cell in parent.columns[0] if cell], [cell for cell in child.columns[place] if cell]
    repeated = len(set(values)) < len(values) and len(set(names)) == len(names)
    return repeated and parent.whole and len(set(values) & set(names)) >= _FOUND * len(set(values))


def _words(name: str) -> Words:
    """Return the words of a heading in lower case, the last one in the singular."""
    *before, last = split_identifier(name) or ("",)
    return (*before, singular(last))


def table_name(file: Path) -> str:
    """Return the name of a file's table: the name of the file without endings."""
    return _SUFFIX.sub("", file.name) or file.name


def part_of(file: Path) -> str:
    """Return the table of a numbered part (``orders-00017.parquet``).

    If the name is only a number, the folder names it.
    """
    name = table_name(file)
    return _PART.sub("", name) or file.parent.name or name

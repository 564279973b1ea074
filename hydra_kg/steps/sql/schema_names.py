"""The tables of a store as described to a model, and what each name in its query means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.sql.sql_parsing import SqlError
from hydra_kg.steps.tables.graph_tables import NAME, ClassTable, Column, View
from hydra_kg.steps.tables.span_meanings import KEY_WORDS

_FEW: Final = 6
"""Different values of a column of texts that are shown."""

_SHORT: Final = 24


class SqlNames:
    """Names of tables and columns for a query in SQL, and back."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.tables: dict[str, int] = {}
        self.columns: dict[int, dict[str, Column]] = {}
        for table in view.tables:
            for name in (table.text, *(" ".join(name) for name in table.names)):
                self.tables.setdefault(_key(name), table.place)
            mine = self.columns[table.place] = {}
            for column in view.columns:
                if column.table == table.place and (column.relation != NAME or _is_called(table)):
                    mine.setdefault(_plain(column.text), column)

    def text(self, most: int) -> str:
        """Describe tables with columns, references and few values, cut at ``most``, values first."""
        for few in (_FEW, 0):
            said = "; ".join(self._table(t, few) for t in self.view.tables)
            if len(said) <= most:
                return said
        return ""

    def _table(self, table: ClassTable, few: int) -> str:
        columns = [self._column(c, few) for c in self.columns[table.place].values()]
        return f"{_name(table.text)}({', '.join(columns)})"

    def _column(self, column: Column, few: int) -> str:
        name = _name(column.text)
        if column.kind == "link":
            key, table = self.key_of(column.to[0]), _name(self.view.tables[column.to[0]].text)
            name = name if name.endswith("id") or key is None else f"{name}_id"
            return f"{name} REFERENCES {table}" + (f"({_name(key.text)})" if key is not None else "")
        if column.kind != "text" or not few:
            return name if column.kind in ("name", "text") else f"{name} {column.kind}"
        values = [self.view.graph.name(v) for v in self.values(column)[: few + 1].tolist()]
        shown = len(values) <= few and all(len(v) <= _SHORT for v in values)
        return f"{name} ({' | '.join(repr(v) for v in values)})" if shown else name

    def values(self, column: Column) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the places of a column's values, each once."""
        if column.relation == NAME:
            return self.view.rows(column.table)
        there = self.view.graph.relations[column.relation].there
        return np.unique(there.end[there.rows(self.view.rows(column.table))])

    def table(self, name: str) -> int:
        """Return the table that a name means. Raises SqlError."""
        if (found := self.tables.get(_key(name))) is None:
            raise SqlError(f"there is no table {name}")
        return found

    def column(self, said: Sequence[str], scope: Mapping[str, int], *, link: bool = False) -> Column:
        """Return the column by alias or unique name; ids mean keys unless ``link``. Raises SqlError."""
        name = _plain(said[-1])
        own = scope.get(said[-2].casefold()) if len(said) > 1 else None
        if len(said) > 1 and own is None:
            raise SqlError(f"there is no table {said[-2]}")
        near = [own] if own is not None else list(dict.fromkeys(scope.values()))
        for tables in (near, list(dict.fromkeys(scope.values())), [] if not scope else list(self.columns)):
            found = [c for t in tables if (c := self._called(name, t)) is not None]
            if found and (tables is near or len(found) == 1):
                key = self.key_of(found[0].to[0]) if found[0].kind == "link" and name.endswith("id") else None
                return key if key is not None and not link else found[0]
        raise SqlError(f"there is no column {'.'.join(said)}")

    def _called(self, name: str, table: int) -> Column | None:
        mine = self.columns[table]
        return next((mine[other] for other in self._spelt(name, table) if other in mine), None)

    def is_column(self, said: Sequence[str], scope: Mapping[str, int]) -> bool:
        """Return True if a name is a column of one of the tables of a query."""
        try:
            self.column(said, scope)
        except SqlError:
            return False
        return True

    def _spelt(self, name: str, table: int) -> Iterator[str]:
        """Yield the ways in which a name may be written.

        A reference may be written with or without the "id" of the key that it refers to. A table's own key may be "id".
        """
        yield name
        if name == "id":
            yield from (key for key, c in self.columns[table].items() if self.is_key(c))
        elif name.endswith("id"):
            yield name.removesuffix("id")
        yield f"{name}id"
        if name.endswith("name") or name in (_plain(self.view.tables[table].text), "title"):
            yield "name"

    def key_of(self, table: int) -> Column | None:
        """Return the column of a table's own key, if it is shown."""
        return next((c for c in self.columns[table].values() if c.relation != NAME and self.is_key(c)), None)

    def is_key(self, column: Column) -> bool:
        """Return True if a column is its table's key: a number or code that is never twice the same."""
        if column.kind == "link" or column.relation == NAME or not KEY_WORDS & set(column.words):
            return column.relation == NAME
        rows = self.view.rows(column.table)
        there = self.view.graph.relations[column.relation].there
        at = there.rows(rows)
        return len(at) == len(rows) == len(np.unique(there.end[at]))


def _is_called(table: ClassTable) -> bool:
    """Return True if rows have a name of their own."""
    return not (table.nameless or table.numbered)


def _name(text: str) -> str:
    return re.sub(r"\W+", "_", text.split(" / ", maxsplit=1)[0]).strip("_").lower() or "it"


def _key(text: str) -> str:
    """Return a table's name, in the plural or not."""
    return "".join(map(singular, split_identifier(text))).casefold()


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.split(" / ", maxsplit=1)[0]).casefold()

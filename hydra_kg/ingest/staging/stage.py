"""Stream the sorted tables of a staging database to the store that writes them (port Stage)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.ingest.staging.facts_by_row import count_wide, read_wide
from hydra_kg.util.fact_details import END, UNIT, Records, Shared, pack
from hydra_kg.util.number_columns import match

if TYPE_CHECKING:
    import duckdb

BATCH: Final = 1 << 20
"""Number of rows in a batch of numbers. A batch of texts has an eighth of that."""

_PLACED: Final = ("", 1.0, "[]")
"""Details of a fact that has a place in words and nothing else."""

_MOST: Final = (1 << 32) - 1
_TABLES: Final = (("link", "rowid"), ("value", "-1 - rowid"))
"""Tables of facts, with the handles of their rows."""
RowCallback = Callable[[int], None]


class DuckStage:
    """Reads tables of :func:`hydra_kg.ingest.staging.sorting.sort_streams` in batches.

    ``on_rows`` is called with counts.
    """

    def __init__(
        self,
        db: duckdb.DuckDBPyConnection,
        counts: Mapping[str, int],
        predicates: Sequence[tuple[int, str, str, str]],
        *,
        on_rows: RowCallback | None = None,
    ) -> None:
        self._db, self._counts = db, dict(counts)
        self._wide = count_wide(db)
        """The columns of values that are stored as rows, each with the number of its facts."""
        self._predicates = tuple(predicates)
        self._on_rows = on_rows or (lambda rows: None)

    def apart(self, with_each: Callable[[], None]) -> DuckStage:

        def on_rows(rows: int) -> None:
            with_each()
            self._on_rows(rows)

        stage = copy(self)  # what it has counted is not counted again
        stage._db, stage._on_rows = self._db.cursor(), on_rows
        return stage

    def close(self) -> None:
        self._db.close()

    def counts(self) -> Mapping[str, int]:
        return self._counts

    def links(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        return self._facts("link")

    def values(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        return self._wide_facts() if self._wide else self._facts("value")

    def nodes(self) -> Iterator[npt.NDArray[np.int64]]:
        for batch in self._columns("node", "id"):
            yield batch["id"]

    def mediators(self) -> Iterator[npt.NDArray[np.int64]]:
        for batch in self._columns("mediator", "id"):
            yield batch["id"]

    def terms(self) -> Iterator[tuple[npt.NDArray[np.int64], Sequence[str]]]:
        for batch in self._columns("term", "id, text", BATCH // 8):
            yield batch["id"], batch["text"].tolist()

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        yield from self._rows("name", "node, kind, text")

    def ranked_names(
        self, nodes: Ids, facts: Callable[[], npt.NDArray[np.int64]]
    ) -> Iterator[tuple[Ids, Sequence[str], Sequence[str]]]:
        if ordered := self._count_facts(nodes, facts()):
            table = "name"
        else:
            table = "ranked"
            self._rank()
        self._db.execute("DROP TABLE fame")
        for batch in self._columns(table, "node, kind, text", BATCH // 8):
            yield batch["node"], batch["kind"].tolist(), batch["text"].tolist()
        if not ordered:
            self._db.execute("DROP TABLE ranked")

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        return self._predicates

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        yield from self._rows("passage", "node, title, url, text, line")

    def same_as(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        yield from self._columns("same", "a, b, line")

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        for table, row in self._detailed():
            yield from self._rows(table, f"{row}, rank, confidence, qualifiers, locator", where="detail")
        for rows, columns in self._wide_details():
            places = [self._wide[column][0] for column in columns.tolist()]
            yield [(row, *_PLACED, place) for row, place in zip(rows.tolist(), places, strict=True)]

    def packed_details(self) -> Iterator[Records]:
        unit, end = f"chr({ord(UNIT)})", f"chr({ord(END)})"
        fixed_fields = (
            f"CASE WHEN rank = '' AND confidence = 1 THEN concat({unit}, {unit}, '1.0', {unit})"  # numbers are slow
            f" ELSE concat({unit}, replace(rank, {unit}, ' '), {unit}, confidence, {unit}) END"
        )
        for table, row in self._detailed():
            record = f"concat({row}, {fixed_fields}, qualifiers, {unit}, locator, {end})"
            whole = f"coalesce(string_agg({record}, '' ORDER BY rowid), '') AS text"  # one object, not one a record
            texts = self._columns(table, whole, BATCH // 8, where="detail", order=False)
            rows = self._columns(table, f"{row} AS row", BATCH // 8, where="detail")
            for start, batch, text in zip(itertools.count(step=BATCH // 8), rows, texts, strict=False):
                data = text["text"][0].encode()
                sizes = np.diff(np.flatnonzero(np.frombuffer(data, np.uint8) == ord(END)), prepend=-1)
                if len(sizes) != len(batch["row"]):  # a locator holds what ends a record
                    each = self._window(table, f"strlen({record}) AS size", start, BATCH // 8, where="detail")
                    sizes = _to_array(each.fetchnumpy()["size"])
                yield Records(batch["row"], sizes, data)
        if self._wide:  # links have too many different details for sharing
            yield from (pack(batch) for batch in self.details() if batch[0][0] < 0)

    def distinct_details(self, most: int) -> set[Shared] | None:
        """Return the distinct details of facts, or None if there are more than ``most``.

        A sample shows first whether there can be few of them. See :class:`hydra_kg.util.fact_details.Sharing`.
        """
        found: set[Shared] = {(*_PLACED, place) for place, facts in self._wide if facts}
        columns = "rank, confidence, qualifiers, locator"
        for table, _ in self._detailed():
            for where in (f"rowid < {BATCH // 8} AND detail", "detail"):
                sql = f"SELECT DISTINCT {columns} FROM {table} WHERE {where} LIMIT {most + 1}"
                found.update(self._db.execute(sql).fetchall())
                if len(found) > most:
                    return None
        return found

    def detail_codes(self, codes: Mapping[Shared, int]) -> Iterator[tuple[Ids, npt.NDArray[np.uint8]]]:
        for table, row in self._detailed():
            self._db.execute(
                "CREATE OR REPLACE TEMP TABLE shared AS"
                f" SELECT rank, confidence, qualifiers, locator, 0::UTINYINT AS code FROM {table} LIMIT 0"
            )
            self._db.executemany("INSERT INTO shared VALUES (?, ?, ?, ?, ?)", [(*d, n) for d, n in codes.items()])
            for start in range(0, self._size(table), BATCH):
                window = f"rowid >= {start} AND rowid < {start + BATCH} AND detail"
                batch = self._db.execute(
                    f"SELECT number AS row, code FROM (SELECT {row} AS number, * FROM {table} WHERE {window})"
                    " JOIN shared USING (rank, confidence, qualifiers, locator) ORDER BY abs(number)"
                ).fetchnumpy()
                yield _to_array(batch["row"]), _to_array(batch["code"])
        own = np.array([codes.get((*_PLACED, place), 0) for place, _ in self._wide], np.uint8)
        for rows, columns in self._wide_details():
            yield rows, own[columns]

    def _detailed(self) -> Iterator[tuple[str, str]]:
        """Yield the tables in which facts have details, with the handles of their rows."""
        for table, row in _TABLES:
            if not (self._wide and table == "value") and "detail" in self._more(table):
                yield table, row

    def _wide_facts(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        for cells in read_wide(self._db):
            detail = np.ones(len(cells.s), np.bool_)
            yield {"s": cells.s, "p": cells.p, "o": cells.o, "line": cells.line, "detail": detail}
            self._on_rows(len(detail))

    def _wide_details(self) -> Iterator[tuple[Ids, npt.NDArray[np.uint8]]]:
        """Yield the handles of the facts that are stored as rows, with the number of their columns."""
        end = 0
        for cells in read_wide(self._db) if self._wide else ():
            start, end = end, end + len(cells.s)
            yield ~np.arange(start, end), cells.column
            self._on_rows(end - start)

    def _rank(self) -> None:
        """Make the table ``ranked``: names sorted by the number of facts of their nodes, most first."""
        kind = "CASE kind WHEN 'name' THEN 0 WHEN 'alias' THEN 1 ELSE 2 END"
        order = f"facts DESC, node, {kind}, name.rowid"  # names of one node and kind are in order
        self._db.execute(
            "CREATE OR REPLACE TEMP TABLE ranked AS SELECT node, kind, text FROM name POSITIONAL JOIN fame"
            f" ORDER BY {order}"
        )

    def _count_facts(self, nodes: Ids, facts: npt.NDArray[np.int64]) -> bool:
        """Make the table ``fame``: the number of facts of each name's node, in order.

        Return True if the names are ranked already, as they are where all are of one kind and all nodes have equally
        many facts. No join keeps all nodes in memory.
        """
        self._db.execute("CREATE OR REPLACE TEMP TABLE fame (facts UINTEGER)")  # sorted a third faster
        ordered = self._db.execute("SELECT 1 FROM name HAVING min(kind) < max(kind)").fetchall() == []
        least = _MOST
        for start in range(0, self._size("name"), BATCH):
            at = match(nodes, self._window("name", "node", start, BATCH).fetchnumpy()["node"])
            counts = np.minimum(np.where(at < 0, 0, facts[at]), _MOST)
            ordered = ordered and int(counts[0]) <= least and bool((counts[1:] <= counts[:-1]).all())
            least = int(counts[-1])
            self._db.register("counted", {"facts": counts})
            self._db.execute("INSERT INTO fame FROM counted")
            self._db.unregister("counted")
        return ordered

    def _more(self, table: str) -> list[str]:
        """Return which of the columns source and detail have values other than the default."""
        more = {"source": "source > 0", "detail": "detail"} if "detail" in self._described(table) else {}
        return [
            name
            for name, some in more.items()
            if self._db.execute(f"SELECT 1 FROM {table} WHERE {some} LIMIT 1").fetchall()
        ]

    def _described(self, table: str) -> set[str]:
        return {row[0] for row in self._db.execute(f"DESCRIBE {table}").fetchall()}

    def _facts(self, table: str) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Yield sorted facts without repeats. Of equal rows the first has the smallest line."""
        if "detail" in self._described(table):
            yield from self._columns(table, ", ".join(("s, p, o, line", *self._more(table))))
            return
        last: tuple[int, int, int] | None = None
        for batch in self._columns(table, "s, p, o, line"):
            s, p, o = batch["s"], batch["p"], batch["o"]
            new = np.empty(len(s), np.bool_)
            new[0] = last is None or (int(s[0]), int(p[0]), int(o[0])) != last
            new[1:] = (o[1:] != o[:-1]) | (p[1:] != p[:-1]) | (s[1:] != s[:-1])
            last = int(s[-1]), int(p[-1]), int(o[-1])
            yield batch if new.all() else {name: column[new] for name, column in batch.items()}

    def _columns(
        self, table: str, columns: str, size: int = BATCH, *, where: str = "true", order: bool = True
    ) -> Iterator[dict[str, npt.NDArray[Any]]]:
        for start in range(0, self._size(table), size):
            batch = self._window(table, columns, start, size, where=where, order=order).fetchnumpy()
            arrays = {name: _to_array(column) for name, column in batch.items()}
            yield arrays
            self._on_rows(len(next(iter(arrays.values()))))

    def _rows(self, table: str, columns: str, *, where: str = "true") -> Iterator[list[Any]]:
        for start in range(0, self._size(table), BATCH // 8):
            rows = self._window(table, columns, start, BATCH // 8, where=where).fetchall()
            yield rows
            self._on_rows(len(rows))

    def _window(
        self, table: str, columns: str, start: int, size: int, *, where: str = "true", order: bool = True
    ) -> duckdb.DuckDBPyConnection:
        where = f"rowid >= {start} AND rowid < {start + size} AND {where}"
        return self._db.execute(f"SELECT {columns} FROM {table} WHERE {where}{' ORDER BY rowid' * order}")

    def _size(self, table: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def _to_array(column: Any) -> npt.NDArray[Any]:
    """Return a column as an ordinary array. These tables have no NULLs."""
    return column.filled() if isinstance(column, np.ma.MaskedArray) else np.asarray(column)

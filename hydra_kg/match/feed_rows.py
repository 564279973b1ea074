"""Copy the rows of loaded feeds into DuckDB, and return what is shown of them: keys, names, cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import Ids
from hydra_kg.errors import UsageError
from hydra_kg.fusion.gathering.store_claims import align_attributes
from hydra_kg.match.compared_columns import ROW_KEY
from hydra_kg.match.model import ComparedColumn
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.reads.feed_cells import DESCRIPTION, NAME, OWN_KEY, Cells, feed_cells, feed_entities
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    import duckdb

LONGEST: Final = 1_000
"""Characters of a cell that are compared."""

_CALLED: Final = (NAME, "title", "label")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as it is shown: the entity's key, its name or another identifying text, and its cells by column."""

    key: str
    name: str
    cells: Mapping[str, str]


def read_feeds(db: duckdb.DuckDBPyConnection, pinned: PinnedGeneration, feeds: Sequence[str]) -> tuple[int, ...]:
    """Make the tables ``entity`` (side, id) and ``cell`` (side, id, col, text), and return the rows of each feed.

    Entities that are in both feeds are left out.

    Raises NotFoundError for an unknown feed, and UsageError if no row of a feed is left.
    """
    import pyarrow as pa

    names = align_attributes(pinned.generation.predicates)
    found = [feed_entities(pinned, feed) for feed in feeds]
    shared = np.intersect1d(found[0], found[-1]) if len(feeds) > 1 else np.zeros(0, np.int64)
    db.execute("CREATE TABLE entity (side TINYINT, id BIGINT)")
    db.execute("CREATE TABLE stated (side TINYINT, id BIGINT, col VARCHAR, text VARCHAR)")
    rows = []
    for side, (feed, entities) in enumerate(zip(feeds, found, strict=True)):
        own = pa.table({"id": np.setdiff1d(entities, shared)})  # noqa: F841 (DuckDB finds it by its name)
        db.execute(f"INSERT INTO entity SELECT {side}, id FROM own")
        rows.append(len(entities) - len(shared))
        if not rows[-1]:
            raise UsageError(
                f"No row of {feed} is left to compare.", remedy="hydra-kg sources list shows what is loaded."
            )
        for cells in feed_cells(pinned, feed, predicates=names):
            page = _table(cells)  # noqa: F841
            db.execute(
                f"INSERT INTO stated SELECT {side}, id, lower(col), left(trim(text), {LONGEST}) FROM page"
                " WHERE trim(text) <> ''"
            )
    for side, (feed, entities) in enumerate(zip(feeds, found, strict=True)):
        _choose_names(db, side)
        _add_keys(db, side, feed, np.setdiff1d(entities, shared), keys_of(pinned, np.setdiff1d(entities, shared)))
    db.execute(
        "CREATE TABLE cell AS SELECT side, id, col, string_agg(DISTINCT text, ' ' ORDER BY text) AS text FROM stated"
        " SEMI JOIN entity USING (side, id) GROUP BY ALL"
    )
    db.execute("DROP TABLE stated")
    return tuple(rows)


def _choose_names(db: duckdb.DuckDBPyConnection, side: int) -> None:
    """Use keys as names if a feed has no other names and its keys are words.

    Otherwise the keys are no names, because ids of two feeds are similar only by chance.
    """
    other, words = db.execute(
        f"SELECT count(*) FILTER (col = '{NAME}'), avg(CASE WHEN col = '{OWN_KEY}' THEN"
        " CASE WHEN regexp_matches(text, '[0-9]') THEN 0 ELSE 1 END END) > 0.5 FROM stated WHERE side = ?",
        [side],
    ).fetchall()[0]
    if words and not other:
        db.execute(f"UPDATE stated SET col = '{NAME}' WHERE side = ? AND col = '{OWN_KEY}'", [side])
    else:
        db.execute(f"DELETE FROM stated WHERE side = ? AND col = '{OWN_KEY}'", [side])


def _add_keys(db: duckdb.DuckDBPyConnection, side: int, feed: str, entities: Ids, keys: Sequence[str]) -> None:
    """Add the keys of a feed's rows to ``stated``, as its table has them, in place of columns that repeat them."""
    import pyarrow as pa

    start = f"{feed}:"
    own = pa.table({"id": entities, "text": [k.removeprefix(start) if k.startswith(start) else "" for k in keys]})  # noqa: F841
    db.execute(
        f"INSERT INTO stated SELECT {side}, id, '{ROW_KEY}', left(trim(text), {LONGEST}) FROM own"
        " WHERE trim(text) <> ''"
    )
    repeated = (
        f"SELECT s.col FROM stated s JOIN stated k USING (side, id) WHERE s.side = {side} AND k.col = '{ROW_KEY}'"
        f" AND s.col NOT IN ('{ROW_KEY}', '{NAME}') GROUP BY s.col HAVING bool_and(s.text = k.text)"
    )
    db.execute(f"DELETE FROM stated WHERE side = {side} AND col IN ({repeated})")


def _table(cells: Cells) -> object:
    import pyarrow as pa

    columns = pa.DictionaryArray.from_arrays(pa.array(cells.column, pa.int32()), pa.array(cells.columns, pa.string()))
    texts = pa.DictionaryArray.from_arrays(pa.array(cells.text, pa.int32()), pa.array(cells.texts, pa.string()))
    return pa.table({"id": cells.node, "col": columns.cast(pa.string()), "text": texts.cast(pa.string())})


def keys_of(pinned: PinnedGeneration, wanted: Ids) -> list[str]:
    """Return the keys of ids, in their order."""
    keys = [ids.decode(i) for i in wanted.tolist()]
    for _, segment in pinned.loads:
        missing = [n for n, key in enumerate(keys) if key is None]
        if not missing:
            break
        for n, text in zip(missing, segment.terms(wanted[missing]), strict=True):
            keys[n] = text
    return [key or "" for key in keys]


def fetch_shown_rows(
    db: duckdb.DuckDBPyConnection, pinned: PinnedGeneration, wanted: Iterable[int], *, columns: Sequence[ComparedColumn]
) -> dict[int, ShownRow]:
    """Return rows by id.

    Each row's name is its name, the value compared with names, or the value of the most distinctive column.
    """
    distinct = sorted((c for c in columns if c.kind in ("text", "code")), key=lambda c: -c.filled * c.distinct)
    named = [end for c in columns if NAME in (c.left, c.right) for end in (c.left, c.right)]
    called = dict.fromkeys((NAME, *named, *_CALLED, *(end for c in distinct for end in (c.left, c.right)), DESCRIPTION))
    chosen = sorted(set(wanted))
    cells: dict[int, dict[str, str]] = {i: {} for i in chosen}
    for i, column, text in db.execute(
        "SELECT id, col, text FROM cell WHERE list_contains($ids, id) ORDER BY id, col", {"ids": chosen}
    ).fetchall():
        cells[i][column] = text
    keys = keys_of(pinned, np.array(chosen, np.int64))
    return {
        i: ShownRow(key, next((cells[i][c] for c in called if c in cells[i]), key), cells[i])
        for i, key in zip(chosen, keys, strict=True)
    }

"""Find the attributes that get two values when rows are linked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.match.compared_columns import ROW_KEY
from hydra_kg.match.model import ComparedColumn, Pair
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    import duckdb

_DIFFERENT: Final = """
SELECT m.name, count(*), arg_min(a.text, p.place), arg_min(b.text, p.place)
FROM linked p JOIN cell a ON a.side = 0 AND a.id = p.l JOIN heading m ON m.left = a.col
JOIN cell b ON b.side = {right} AND b.id = p.r AND b.col = m.right
WHERE folded(a.text) IS DISTINCT FROM folded(b.text)
AND coalesce(try_cast(replace(a.text, ',', '') AS DOUBLE) <> try_cast(replace(b.text, ',', '') AS DOUBLE), true)
GROUP BY m.name ORDER BY count(*) DESC, m.name
"""


_TWINS: Final = """
SELECT t.place FROM twin t JOIN value a ON a.side = t.side AND a.id = t.shared
LEFT JOIN value b ON b.side = 1 - t.side AND b.id = t.one AND b.col = a.col
LEFT JOIN value c ON c.side = 1 - t.side AND c.id = t.other AND c.col = a.col
GROUP BY t.place HAVING bool_and(folded(b.text) IS NOT DISTINCT FROM folded(c.text)) ORDER BY t.place
"""


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """An attribute that differs between linked rows.

    column: its headings.
    links: number of links at which it has two values.
    left, right: the two values of the likeliest pair.
    """

    column: str
    links: int
    left: str
    right: str


def find_differences(
    db: duckdb.DuckDBPyConnection, columns: Sequence[ComparedColumn], pairs: Sequence[Pair], *, alone: bool
) -> list[ValueDifference]:
    """Return the attributes that differ in ``pairs``, most frequent first.

    Differences of spelling, case and number format do not count.
    """
    import pyarrow as pa

    if not pairs:
        return []
    headings = {(c.left, c.right): c.name for c in columns}
    right = 0 if alone else 1
    shared = f"SELECT col FROM cell WHERE side = 0 INTERSECT SELECT col FROM cell WHERE side = {right}"
    used = {end for pair in headings for end in pair}
    for (name,) in db.execute(f"SELECT col FROM ({shared}) WHERE col <> {sql_text(ROW_KEY)}").fetchall():
        if name not in used:
            headings[name, name] = name
    linked = pa.table(  # noqa: F841 (DuckDB finds it by its name)
        {"l": [p.left for p in pairs], "r": [p.right for p in pairs], "place": list(range(len(pairs)))}
    )
    heading = pa.table(  # noqa: F841
        {"name": list(headings.values()), "left": [a for a, _ in headings], "right": [b for _, b in headings]}
    )
    found = db.execute(_DIFFERENT.format(right=right)).fetchall()
    return [ValueDifference(*row) for row in found]


def select_twins(
    db: duckdb.DuckDBPyConnection, left: Ids, right: Ids, places: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return those places of two pairs with a common row whose other rows are equal.

    They are equal if they agree in all columns in which the common row has a cell.

    left, right: ids of all pairs.
    """
    import pyarrow as pa

    if not places:
        return []
    one, other = np.array(places).T
    same_left = left[one] == left[other]
    twin = pa.table(  # noqa: F841 (DuckDB finds it by its name)
        {
            "place": np.arange(len(places)),
            "side": np.where(same_left, 0, 1),
            "shared": np.where(same_left, left[one], right[one]),
            "one": np.where(same_left, right[one], left[one]),
            "other": np.where(same_left, right[other], left[other]),
        }
    )
    return [places[place] for (place,) in db.execute(_TWINS).fetchall()]

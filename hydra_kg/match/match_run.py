"""A whole run: read the rows of feeds, compare and score them, choose a partner for each, and find conflicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import Ids
from hydra_kg.errors import UsageError
from hydra_kg.match import (
    compared_columns,
    comparisons,
    match_threshold,
    pair_labels,
    partner_choice,
    scores,
    splink_rows,
    splink_weights,
)
from hydra_kg.match.compared_columns import ROW_KEY
from hydra_kg.match.feed_rows import ShownRow, fetch_shown_rows, keys_of, read_feeds
from hydra_kg.match.match_threshold import calibrate
from hydra_kg.match.model import ComparedColumn, Matching, Pair
from hydra_kg.match.partner_choice import Floats
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    import duckdb


LEAST: Final = 0.01
"""Probability below which a pair is not reported."""

MEMORY: Final = "2GB"
"""Memory that DuckDB may use; what needs more goes to disk."""

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


class Matcher:
    """Comparison of one feed with itself, or of two feeds with each other.

    folder: scratch folder on disk, for feeds larger than memory.

    Close the matcher when no more rows are to be shown.
    """

    def __init__(self, pinned: PinnedGeneration, feeds: Sequence[str], folder: Path) -> None:
        _check_splink()
        self.pinned, self.feeds = pinned, tuple(feeds)
        self.db: duckdb.DuckDBPyConnection = connect_duckdb(str(folder / "match.duckdb"), memory_limit=MEMORY)
        self.db.execute(f"SET temp_directory = {sql_text(str(folder / 'spill'))}")
        self.db.execute("SET enable_progress_bar = false")
        self.db.execute("SET preserve_insertion_order = false")

    def run(self, said: pair_labels.Labels, *, threshold: float | None = None) -> Matching:
        """Return the pairs of rows that are the same thing.

        said: labels by keys.
        threshold: probability from which a pair is accepted; None for the usual one.
        """
        rows, found, compared, candidates = self._compared
        method = {"name": f"splink {_version()}", "settings": _settings(found, said)}
        if candidates is None:
            threshold = partner_choice.THRESHOLD if threshold is None else threshold
            return Matching(self.feeds, rows, found, 0, 0.0, threshold, (), method)
        p, expected, usual = _probabilities(candidates, rows)
        if threshold is None:
            threshold = partner_choice.THRESHOLD if pair_labels.has_enough_labels(said) else usual
        p = self._after_labels(candidates, p, said, usual=usual)
        left, right = candidates.left, candidates.right
        alone = len(rows) == 1
        least = min(LEAST, threshold)
        best = (
            partner_choice.select_within_feed(left, right, p, threshold=threshold)
            if alone
            else partner_choice.one_to_one(left, right, p, least=least)
        )
        twins = partial(select_twins, self.db, left, right)
        rivals = {} if alone else partner_choice.find_rivals(left, right, p, best, threshold=threshold, twins=twins)
        names = [c.name for c in found]

        def pair(i: int) -> Pair:
            weights = zip(names, candidates.weight[i].tolist(), strict=True)
            return Pair(int(left[i]), int(right[i]), float(p[i]), {n: w for n, w in weights if not np.isnan(w)})

        pairs = tuple(pair(i) for i in best.tolist() if p[i] >= least and i not in rivals)
        ambiguous = tuple((pair(i), *map(pair, rivals[i])) for i in best.tolist() if i in rivals)
        return Matching(self.feeds, rows, found, compared, expected, threshold, pairs, method, ambiguous)

    @cached_property
    def _compared(self) -> tuple[tuple[int, ...], tuple[ComparedColumn, ...], int, splink_weights.Candidates | None]:
        """Return the rows of each feed, the columns, the number of compared pairs, and the pairs or None."""
        rows = read_feeds(self.db, self.pinned, self.feeds)
        self.db.execute(splink_rows.MACROS)
        found = compared_columns.choose_columns(self.db, rows=rows)
        if not found:
            raise UsageError(
                f"{' and '.join(self.feeds)} have no column in common.",
                remedy="Columns match by their names or values; load a feed again with --map to rename one.",
            )
        count = splink_rows.make_records(self.db, found, rows=rows)
        return rows, found, count, splink_weights.compare(self.db, found, rows=rows) if count else None

    def rows(self, wanted: Iterable[int]) -> dict[int, ShownRow]:
        """Return the rows as they are shown, by id."""
        return fetch_shown_rows(self.db, self.pinned, wanted, columns=self._compared[1])

    def differences(self, pairs: Sequence[Pair]) -> list[ValueDifference]:
        """Return the attributes that get two values when these pairs are linked."""
        return find_differences(self.db, self._compared[1], pairs, alone=len(self.feeds) == 1)

    def keys(self, wanted: Sequence[int]) -> list[str]:
        """Return the keys of rows."""
        return keys_of(self.pinned, np.array(wanted, np.int64))

    def close(self) -> None:
        """Close the database and release its scratch space."""
        self.db.close()

    def _after_labels(
        self, candidates: splink_weights.Candidates, p: Floats, said: pair_labels.Labels, *, usual: float
    ) -> Floats:
        """Return the probabilities, learned again from the labelled pairs."""
        if not said:
            return p
        asked = {(ids.encode(a), ids.encode(b)): same for (a, b), same in said.items()}
        near = np.flatnonzero(np.isin(candidates.left, [left for left, _ in asked]))
        pairs = zip(candidates.left[near].tolist(), candidates.right[near].tolist(), near.tolist(), strict=True)
        places = {(left, right): i for left, right, i in pairs}
        at = np.array([places[pair] for pair in asked if pair in places], np.intp)
        same = np.array([same for pair, same in asked.items() if pair in places], np.bool_)
        p = pair_labels.relearn_probabilities(p, candidates.weight, at=at, same=same, usual=usual).copy()
        p[at] = same
        return p


def _probabilities(candidates: splink_weights.Candidates, rows: tuple[int, ...]) -> tuple[Floats, float, float]:
    """Return the probability of each pair, the expected number of matches, and the usual threshold."""
    said = np.asarray(np.nansum(candidates.weight, axis=1, dtype=np.float64))
    if candidates.evidence is None:
        return *partner_choice.probabilities_within(said, rows=rows[0]), partner_choice.THRESHOLD
    found = calibrate(candidates.left, candidates.right, said, candidates.evidence, rows=(rows[0], rows[1]))
    return found.probabilities, found.expected, found.threshold


_MODULES_WITH_SETTINGS: Final = (
    match_threshold,
    partner_choice,
    compared_columns,
    comparisons,
    pair_labels,
    splink_weights,
    splink_rows,
    scores,
)


def _settings(found: Sequence[ComparedColumn], said: pair_labels.Labels) -> str:
    """Return a short hash of everything that a run depends on.

    Two runs with the same hash compared rows in the same way.
    """
    knobs: dict[str, Any] = {
        f"{module.__name__.rpartition('.')[2]}.{name}": value
        for module in _MODULES_WITH_SETTINGS
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, int | float | str | dict)
    }
    doc: Mapping[str, Any] = {
        **knobs,
        "weights": [*scores.get_learned_weights().tolist(), scores.get_fitted_gap()],
        "columns": [(c.left, c.right, c.kind) for c in found],
        "labels": sorted((a, b, same) for (a, b), same in said.items()),
    }
    return hashlib.sha256(json.dumps(doc, sort_keys=True).encode()).hexdigest()[:12]


def _version() -> str:
    from importlib.metadata import version

    return version("splink")


def _check_splink() -> None:
    from importlib.util import find_spec

    if find_spec("splink") is None:
        raise UsageError(
            "hydra-kg match needs Splink, and it is not installed.", remedy="pip install 'hydra-kg[match]'"
        )


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

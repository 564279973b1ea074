"""A whole run: read the rows of feeds from a store, compare and score them, and choose one partner for each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hydra_kg import ids
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
from hydra_kg.match.conflicting_attributes import ValueDifference, find_differences, select_twins
from hydra_kg.match.feed_rows import ShownRow, fetch_shown_rows, keys_of, read_feeds
from hydra_kg.match.match_threshold import calibrate
from hydra_kg.match.model import ComparedColumn, Matching, Pair
from hydra_kg.match.partner_choice import Floats
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.text.quoting import sql_text

if TYPE_CHECKING:
    import duckdb

LEAST: Final = 0.01
"""Probability below which a pair is not reported."""

MEMORY: Final = "2GB"
"""Memory that DuckDB may use; what needs more goes to disk."""


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

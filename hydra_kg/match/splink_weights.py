"""Run Splink on the candidate pairs: the weight of each column for or against two rows being one thing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.match.comparisons import comparisons, frequencies
from hydra_kg.match.model import ComparedColumn
from hydra_kg.match.row_comparison import RowEvidence, read_evidence
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    import duckdb

SAMPLED: Final = 5e5
"""Number of random pairs from which Splink learns how often columns agree by chance (u)."""

TRAINED: Final = 2e5
"""Number of pairs of one blocking rule from which Splink learns how often they agree in one thing (m)."""

PART: Final = 1_000_000
"""Number of pairs that are compared at a time."""

WIDE: Final = 1_000_000
"""Number of rows above which a quarter is compared at a time, since all words of candidates stay in memory."""

_SESSIONS: Final = 4
_JOINED: Final = "-__-"  # between a data set and an id in Splink's keys


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Compared pairs, ordered by left id, then by right id.

    left, right: ids, int64 (n,).
    weight: float32 (n, columns), log Bayes factors, or NaN where a row lacks the column.
    evidence: evidence of whole rows, or None within one feed.
    """

    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    evidence: RowEvidence | None = None


def compare(db: duckdb.DuckDBPyConnection, columns: Sequence[ComparedColumn], *, rows: Sequence[int]) -> Candidates:
    """Compare the pairs of the tables ``record0`` and ``record1`` (:mod:`hydra_kg.match.splink_rows`)."""
    from splink import Linker, SettingsCreator, block_on
    from splink.internals.duckdb.database_api import DuckDBAPI

    alone = len(rows) == 1
    api = DuckDBAPI(db)
    tables = [api.register(f"record{i}", dataset_display_name=f"side{i}") for i in range(len(rows))]
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=comparisons(columns, rows=sum(rows)),
        blocking_rules_to_generate_predictions=[block_on("unique_id")],
        retain_intermediate_calculation_columns=True,
        retain_matching_columns=False,
        probability_two_random_records_match=1 / max(2, rows[0]) if alone else 0.5 / max(rows),
    )
    largest = max(range(len(rows)), key=rows.__getitem__)
    linker = _learn_chance_agreement(tables[largest], settings)
    if not alone:
        across = _learn_chance_agreement(tables, settings.create_settings_dict("duckdb") | {"link_type": "link_only"})
        corrected = _correct_for_matches(_model(linker), _model(across), rows=rows)
        linker = Linker(tables, corrected, log_level=logging.ERROR, validate_settings=False)
    for i in range(len(columns)):
        table = api.register(frequencies(db, i, sides=len(rows)))
        linker.table_management.register_term_frequency_lookup(table, f"c{i}")
    _train(linker, [block_on(f"e{i}") for i in _rules(columns, sum(rows))])
    part = PART if sum(rows) <= WIDE else PART // 4
    found = _compare_in_parts(db, api, linker, columns=len(columns), alone=alone, part=part)
    order = np.lexsort((found.right, found.left))
    evidence = None if alone else read_evidence(db, columns, rows=rows)[2]
    return Candidates(found.left[order], found.right[order], found.weight[order], evidence)


def _learn_chance_agreement(tables: Any, settings: Any) -> Any:
    """Return a linker that has learned how often the columns of random pairs agree (u)."""
    from splink import Linker

    # These settings need no check, which would parse each condition again.
    linker = Linker(tables, settings, log_level=logging.ERROR, validate_settings=False)
    linker.training.estimate_u_using_random_sampling(max_pairs=SAMPLED, seed=1, num_chunks=1)
    return linker


def _model(linker: Any) -> dict[str, Any]:
    model: dict[str, Any] = linker.misc.save_model_to_json()
    return model


def _correct_for_matches(within: dict[str, Any], across: dict[str, Any], *, rows: Sequence[int]) -> dict[str, Any]:
    """Return the model with u of each level corrected for matches among random pairs.

    Agreements that are more frequent across feeds than within one feed are matches, up to one match per row of the
    larger feed.
    """
    matches = 1 / max(rows)
    unseen = 1 / min(SAMPLED, max(2, max(rows) * (max(rows) - 1) / 2))
    for one, other in zip(within["comparisons"], across["comparisons"], strict=True):
        for level, across_level in zip(one["comparison_levels"], other["comparison_levels"], strict=True):
            if not level.get("is_null_level"):
                own, apart = level.get("u_probability") or 0.0, across_level.get("u_probability") or 0.0
                level["u_probability"] = max(own, apart - matches, unseen)
    return {**within, "link_type": "link_only"}


def _rules(columns: Sequence[ComparedColumn], rows: int) -> list[int]:
    """Return the columns whose rarest words select pairs to learn m from: the fullest and most distinctive ones."""
    fit = [
        i for i, c in enumerate(columns) if c.kind != "number" and c.filled > 0.2 * rows and c.distinct > 0.02 * rows
    ]
    fit.sort(key=lambda i: -columns[i].filled * columns[i].distinct)
    return fit[:_SESSIONS]


def _train(linker: Any, rules: Sequence[Any]) -> None:
    """Learn m by expectation maximisation; skip rules with no pairs, too few pairs, or only equal ones."""
    from splink.internals.exceptions import EMTrainingException

    for rule in rules:
        try:
            linker.training.estimate_parameters_using_expectation_maximisation(rule, max_pairs=TRAINED)
        except (ValueError, ArithmeticError, EMTrainingException):
            continue


def _compare_in_parts(
    db: duckdb.DuckDBPyConnection, api: Any, linker: Any, *, columns: int, alone: bool, part: int
) -> Candidates:
    """Return all pairs of ``candidate`` (l, r), compared ``part`` at a time to limit memory."""
    left = "l" if alone else f"'side0{_JOINED}' || l"
    right = "r" if alone else f"'side1{_JOINED}' || r"
    total = db.execute("SELECT count(*) FROM candidate").fetchall()[0][0]
    out = Candidates(np.empty(total, np.int64), np.empty(total, np.int64), np.empty((total, columns), np.float32))
    at = 0
    for low in range(0, total, part):
        db.execute(
            f"CREATE OR REPLACE TABLE part AS SELECT '0' AS match_key, {left} AS join_key_l, {right} AS join_key_r"
            f" FROM candidate WHERE rowid >= {low} AND rowid < {low + part}"
        )
        linker.table_management.register_blocked_pairs_for_predict(api.register("part"))
        found = linker.inference.predict()
        size = _take(found.as_duckdbpyrelation(), out, at)
        found.drop_table_from_database_and_remove_from_cache()
        at += size
    return out


def _take(found: duckdb.DuckDBPyRelation, out: Candidates, at: int) -> int:
    """Copy Splink's result into ``out`` from place ``at`` on, and return the number of its pairs."""
    known, columns = set(found.columns), out.weight.shape[1]
    chosen = [
        f"mw_c{i} + coalesce(mw_tf_adj_c{i}, 0) AS w{i}" if f"mw_tf_adj_c{i}" in known else f"mw_c{i} AS w{i}"
        for i in range(columns)
    ]
    arrays = found.project(f"unique_id_l, unique_id_r, {', '.join(chosen)}").fetchnumpy()
    size = len(arrays["unique_id_l"])
    out.left[at : at + size], out.right[at : at + size] = arrays["unique_id_l"], arrays["unique_id_r"]
    for i in range(columns):
        said = np.asarray(arrays[f"w{i}"], np.float64) * np.log(2)
        said[said == 0] = np.nan  # Splink returns 0 if a row lacks the column
        out.weight[at : at + size, i] = said
    return size

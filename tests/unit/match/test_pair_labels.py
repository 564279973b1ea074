"""What is learned from labels, also where they are nearly all of one kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hydra_kg.errors import FormatError
from hydra_kg.match.pair_labels import read_labels, relearn_probabilities


def test_labels_that_are_nearly_all_yes_do_not_make_everything_one_thing():
    """Of pairs below the threshold that were not asked about, few become likely, as the one no weighs as all yes."""
    rng = np.random.default_rng(1)
    p = np.concatenate([rng.uniform(0.2, 0.9, 60), rng.uniform(0.001, 0.05, 600)])
    weight = np.column_stack([np.log(p / (1 - p)), rng.normal(0, 1, len(p))])
    at = np.concatenate([np.arange(47), np.arange(60, 63)])
    same = np.array([True] * 47 + [False] * 3)
    q = relearn_probabilities(p, weight, at=at, same=same)
    assert (q[63:] >= 0.5).mean() < 0.05
    assert (q[:60] >= 0.5).mean() > 0.9


def test_labels_of_one_kind_teach_nothing():
    p = np.linspace(0.05, 0.95, 20)
    weight = np.zeros((20, 1))
    assert relearn_probabilities(p, weight, at=np.arange(12), same=np.ones(12, np.bool_)) is p


@pytest.mark.parametrize("line", ["[" * 100_000 + "]" * 100_000, "{", "[]"], ids=["deep", "open", "list"])
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "labels.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"labels\.jsonl:1 is not a label"):
        read_labels(tmp_path / "labels.jsonl")

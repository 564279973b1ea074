"""The page of equations is the file of equations, and every change that it lists fits the code and selects a test."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from bench.conformance.flips import changed, equations, flipped
from bench.conformance.page import PAGE, page
from hydra_kg.fusion.truth_discovery.multi_level_confidence import node_confidence

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_file_says():
    assert PAGE.read_text("utf-8") == page(), "run bench/conformance/page.py"


@pytest.mark.parametrize("row", equations(), ids=lambda row: f"{row['paper']} {row['where']}")
def test_every_equation_names_code_and_a_test_that_are_there(row):
    assert flipped(row, (ROOT / row["file"]).read_text("utf-8"))
    assert row["new"] != row["old"]
    name, *chosen = shlex.split(row["test"])
    path, _, test = name.partition("::")
    text = (ROOT / path).read_text("utf-8")
    assert f"def {test}(" in text if test else "def test_" in text
    for word in re.findall(r"\w+", chosen[1]) if chosen else ():
        assert word == "or" or word in text


def test_a_flip_that_fits_no_code_is_an_error():
    with pytest.raises(ValueError, match=r"correct equations\.toml"):
        flipped({"file": "code.py", "old": "b = 1", "new": "b = 2"}, "a = 1")


def test_a_changed_formula_is_in_force_and_given_back():
    (row,) = [r for r in equations() if r["where"].endswith("Eq. 8 and 9")]
    half = np.array([0.5])
    with changed(row):
        assert node_confidence(half, half, half, alpha=0.2).tolist() == pytest.approx([0.5 + 0.1 + 0.02])
    assert node_confidence(half, half, half, alpha=0.2).tolist() == pytest.approx([1.0])

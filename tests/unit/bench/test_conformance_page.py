"""The page of equations is the file of equations, and every change that it lists fits the code and selects a test."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bench.conformance.flips import equations, is_noticed
from bench.conformance.page import PAGE, page

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_file_says():
    assert PAGE.read_text("utf-8") == page(), "run bench/conformance/page.py"


@pytest.mark.parametrize("row", equations(), ids=lambda row: f"{row['paper']} {row['where']}")
def test_every_equation_names_code_and_a_test_that_are_there(row):
    assert (ROOT / row["file"]).read_text("utf-8").count(row["old"]) >= 1
    assert row["new"] != row["old"]
    name, *chosen = shlex.split(row["test"])
    path, _, test = name.partition("::")
    text = (ROOT / path).read_text("utf-8")
    assert f"def {test}(" in text if test else "def test_" in text
    for word in re.findall(r"\w+", chosen[1]) if chosen else ():
        assert word == "or" or word in text


def test_a_flip_that_fits_no_code_is_an_error(tmp_path):
    (tmp_path / "code.py").write_text("a = 1\n")
    with pytest.raises(ValueError, match=r"correct equations\.toml"):
        is_noticed({"file": "code.py", "old": "b = 1", "new": "b = 2", "test": "t"}, tmp_path)

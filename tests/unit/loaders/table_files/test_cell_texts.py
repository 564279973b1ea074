"""Values of sheets and databases as texts of cells."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hydra_kg_loaders.table_files.cell_texts import text_of


@pytest.mark.parametrize(
    "value, text",
    [
        (68.66499999999999, "68.665"),
        (274.65999999999997, "274.66"),
        (0.1 + 0.2, "0.3"),
        (12.0, "12"),
        (1e-9, "1e-09"),
        (1234567.891, "1234567.891"),
    ],
)
def test_numbers_have_the_digits_that_a_sheet_shows(value: float, text: str) -> None:
    assert text_of(value) == text


def test_the_process_that_reads_a_sheet_imports_nothing_heavy():
    code = "import sys, hydra_kg_loaders.table_files.sheet_process; print({'numpy', 'duckdb'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"

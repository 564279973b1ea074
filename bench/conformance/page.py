"""Writes docs/conformance.md: every equation with its hand-worked number, the code that computes it and its test.

    python bench/conformance/page.py

The rows are those of `bench/conformance/equations.toml`.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.conformance.flips import equations  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
_HEAD = """# Conformance to the papers

Written by `python bench/conformance/page.py`; do not edit.

This page is for researchers who check that the presets compute what the papers print. Each row has a number worked out
by hand on a small graph, the code that computes it, and the test that compares the two under the preset of the paper.
`python bench/conformance/flips.py` changes each formula once and says whether its test fails
([result](../bench/results/conformance.md)). What differs from print is in [papers.md](papers.md).

| paper | where | formula or line | by hand | code | test |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the text of the page."""
    rows = []
    for row in equations():
        cells = (row["paper"], row["where"], row["says"], row["number"], f"`{row['file']}`", f"`{row['test']}`")
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

"""Writes the list of the papers' tables into docs/evaluation.md, from hydra_kg/evaluate/papers/tables.toml.

python bench/generate/paper_tables.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hydra_kg.evaluate.papers.catalog import listing  # noqa: E402

PAGE: Final = ROOT / "docs" / "evaluation.md"
BEGIN: Final = "<!-- made by bench/generate/paper_tables.py -->\n"
END: Final = "<!-- end -->\n"


def written(page: str) -> str:
    """The page with the list as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    head, *rows = (f"| {' | '.join(row)} |\n" for row in listing())
    return before + BEGIN + head + "|---|---|---|---|---|\n" + "".join(rows) + END + after


def main() -> None:
    """Write the page; with ``--check`` fail where it is not current."""
    page = PAGE.read_text("utf-8")
    now = written(page)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if page == now else f"{PAGE.name} is not current: python bench/generate/paper_tables.py")
    PAGE.write_text(now, "utf-8")


if __name__ == "__main__":
    main()

"""docs/python.md: every block runs, in the order of the page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from hydra_kg.util.package_data import find_content

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"


def test_every_block_runs(call, capsys):
    for name in ("harbour.csv", "townsite.csv", "tourbook.csv"):
        shutil.copy(find_content("sample", name), name)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    names: dict[str, object] = {}
    for n, block in enumerate(blocks):
        exec(compile(block, f"block {n} of docs/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "Pier 3" in said
    assert "multirag" in said
    assert Path("answer.html").read_text().startswith("<!doctype html>")

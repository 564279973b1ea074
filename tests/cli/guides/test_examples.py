"""The examples of docs/examples run as they are, each in an empty folder, scripts and notebooks alike."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.programs import own_environment

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))

EXPECTED = {
    "ask_the_sample": "Robert Zemeckis (supported",
    "spreadsheets": "no answer:",
    "follow_ups": "understood as: When was Robert Zemeckis born?",
    "disagreeing_sources": "but:",
    "teach_and_save": "120 would become 150",
    "own_strategy": "3 witnesses: no answer",
    "explore_an_answer": "",
    "compare_strategies": "Who directed Forrest Gump? | hydra | Robert Zemeckis",
}


def run(file: Path, folder: Path) -> str:
    env = own_environment(folder / "home")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, cwd=folder, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_its_readme_promises(script: Path, tmp_path: Path):
    assert EXPECTED[script.stem] in run(script, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_in_order(notebook: Path, tmp_path: Path):
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code"), "commit notebooks without outputs"
    code = tmp_path / "cells.py"
    code.write_text("\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code"), "utf-8")
    assert EXPECTED[notebook.stem] in run(code, tmp_path)


def test_the_readme_names_every_example():
    said = (EXAMPLES / "README.md").read_text("utf-8")
    assert [path.name for path in (*SCRIPTS, *NOTEBOOKS) if f"({path.name})" not in said] == []

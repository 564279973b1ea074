"""Changes each formula of `equations.toml` once, in a copy of the checkout, and says whether its test notices.

    python bench/conformance/flips.py [--only NUMBER,...]

It prints a line for each equation; a change that no test notices ends with status 1.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDERS: Final = ("hydra_kg", "tests", "bench", "cypher", "docker", "loaders", "migrations")
FILES: Final = ("pyproject.toml",)


def equations() -> Sequence[Mapping[str, Any]]:
    """Return the rows of `equations.toml`."""
    rows: list[Mapping[str, Any]] = tomllib.loads((ROOT / "bench/conformance/equations.toml").read_text("utf-8"))[
        "equation"
    ]
    return rows


def is_noticed(row: Mapping[str, Any], copy: Path) -> bool:
    """Return True if the test of an equation fails once its formula is changed in the copy."""
    path = copy / row["file"]
    text = path.read_text("utf-8")
    if row["old"] not in text:
        raise ValueError(f"{row['file']} does not hold {row['old']!r}: correct equations.toml.")
    path.write_text(text.replace(row["old"], row["new"], 1), "utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, *shlex.split(row["test"])],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_text(text, "utf-8")
    if done.returncode == 5:
        raise ValueError(f"{row['test']} selects no test: correct equations.toml.")
    return done.returncode != 0


def main() -> None:
    """Try every change, or the given ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="numbers of equations, from 1, with commas")
    wanted = {int(n) for n in parser.parse_args().only.split(",") if n}
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in FOLDERS:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "out"))
        for name in FILES:
            shutil.copy(ROOT / name, copy / name)
        for number, row in enumerate(equations(), 1):
            if wanted and number not in wanted:
                continue
            noticed = is_noticed(row, copy)
            missed += not noticed
            print(f"{number:2} {'noticed' if noticed else 'MISSED '} {row['paper']} {row['where']}", flush=True)
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()

"""The check of a wheel's files: every tracked file is there, and no other."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHECK = ROOT / ".ci" / "contents"
PLACES = [("loaders/", ""), ("cypher/", "hydra_kg/_content/cypher/"), ("docker/", "hydra_kg/_content/docker/")]


@pytest.fixture(scope="module")
def packed():
    """The tracked files of a wheel under the names that they have in it."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    listing = subprocess.run(
        ["git", "ls-files", "hydra_kg", "loaders/hydra_kg_loaders", "cypher", "docker", "migrations"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")[:-1]  # fmt: skip
    web = "hydra_kg/serving/web/"
    names = [n for n in listing if not n.startswith(web) or n.endswith(".py") or n.startswith(f"{web}built/")]
    for folder, there in [*PLACES, ("migrations/", "hydra_kg/_content/migrations/")]:
        names = [there + n.removeprefix(folder) if n.startswith(folder) else n for n in names]
    return names


def check(path, names):
    with zipfile.ZipFile(path, "w") as wheel:
        for name in [*names, "hydra_kg-9.dist-info/METADATA"]:
            wheel.writestr(name, "")
    return subprocess.run([CHECK, path], capture_output=True, text=True, check=False)


def test_a_wheel_of_the_tracked_files_passes(packed, tmp_path):
    done = check(tmp_path / "a.whl", packed)
    assert done.returncode == 0, done.stdout


def test_a_missing_and_a_foreign_file_are_named(packed, tmp_path):
    left_out = next(name for name in packed if name.endswith(".tsv"))
    done = check(tmp_path / "a.whl", [*(n for n in packed if n != left_out), "hydra_kg/serving/web/src/main.ts"])
    assert done.returncode == 1
    assert f"missing: {left_out}" in done.stdout
    assert "does not belong there: hydra_kg/serving/web/src/main.ts" in done.stdout

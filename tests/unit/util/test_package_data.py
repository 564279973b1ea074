"""What comes with the package is found, and nothing beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hydra_kg.errors import NotFoundError
from hydra_kg.util.package_data import find_content, names

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("kind", ["cypher", "migrations", "sample"])
def test_every_kind_is_a_folder(kind):
    assert find_content(kind).is_dir()


def test_a_checkout_uses_its_own_folders():
    assert find_content("cypher") == ROOT / "cypher"
    assert find_content("migrations", "README.md").read_text("utf-8").strip()


def test_names_are_sorted_and_chosen_by_suffix():
    assert names("cypher") == sorted(names("cypher"))
    assert "README.md" in names("cypher")
    assert "README.md" not in names("cypher", suffix=".cypher")


@pytest.mark.parametrize("name", ["nothing.cypher", "../pyproject.toml", "../../etc/passwd", "/etc/passwd"])
def test_a_name_that_is_not_there_or_leads_out_is_refused(name):
    with pytest.raises(NotFoundError, match=r"README\.md"):
        find_content("cypher", name)


def test_an_installed_package_finds_the_copies_inside_itself(tmp_path):
    """The layout of a wheel: content within the package, and an unrelated folder of the same name beside it."""
    shutil.copytree(ROOT / "hydra_kg", tmp_path / "hydra_kg", ignore=shutil.ignore_patterns("__pycache__"))
    for kind in ("cypher", "migrations"):
        shutil.copytree(ROOT / kind, tmp_path / "hydra_kg" / "_content" / kind)
        (tmp_path / kind).mkdir()
    code = (
        "from hydra_kg.util.package_data import find_content; "
        "print(find_content('cypher')); print(find_content('migrations', 'README.md'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    inside = tmp_path / "hydra_kg" / "_content"
    assert done.stdout.split() == [str(inside / "cypher"), str(inside / "migrations" / "README.md")]

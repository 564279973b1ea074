"""The hash of the source names what answers: it moves with any file of the package, and with nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hydra_kg.util import source_code


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of a module, a table, a sample and what Python leaves behind."""
    for name in ("steps/prune.py", "agents/hints.tsv", "sample/a.csv", "steps/__pycache__/prune.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")
    monkeypatch.setattr(source_code, "_PACKAGE", tmp_path)
    return tmp_path


def hashed() -> str:
    return source_code.source_hash.__wrapped__()


@pytest.mark.parametrize("name", ["steps/prune.py", "agents/hints.tsv", "steps/new.py"])
def test_every_file_that_can_change_an_answer_moves_it(package: Path, name: str) -> None:
    before = hashed()
    (package / name).write_text("a = 2\n")
    assert hashed() != before


@pytest.mark.parametrize("name", ["sample/a.csv", "steps/__pycache__/prune.pyc", "steps/.prune.py.swp"])
def test_nothing_else_moves_it(package: Path, name: str) -> None:
    before = hashed()
    (package / name).write_text("a = 2\n")
    assert hashed() == before


def test_a_file_that_moves_moves_it(package: Path) -> None:
    before = hashed()
    (package / "steps" / "prune.py").rename(package / "prune.py")
    assert hashed() != before


def test_it_does_not_depend_on_where_the_package_lies(package: Path) -> None:
    before = hashed()
    package.rename(package.with_name("elsewhere"))
    source_code._PACKAGE = package.with_name("elsewhere")  # put back by the fixture
    assert hashed() == before


def test_it_is_twelve_digits() -> None:
    assert re.fullmatch("[0-9a-f]{12}", source_code.source_hash())

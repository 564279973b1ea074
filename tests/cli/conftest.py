"""Ways to call the command, and an empty store; the store that holds the sample is in tests/conftest.py."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers.programs import own_environment

ROOT = Path(__file__).resolve().parents[2]

Call = Callable[..., Result]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Calls the command in this process, in an empty folder and without settings of whoever runs the tests."""
    from hydra_kg.cli.main import main

    for name in [n for n in os.environ if n.startswith(("HYDRA_", "OPENAI_"))]:
        if name != "HYDRA_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def run(*words: object, input: str | None = None, code: int | None = 0) -> Result:  # noqa: A002
        result = CliRunner().invoke(main, [str(w) for w in words], prog_name="hydra-kg", input=input)
        assert code is None or result.exit_code == code, f"{result.exit_code}: {result.output}\n{result.exception!r}"
        return result

    return run


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Calls the command as a program of its own."""
    environment = own_environment(tmp_path / "home")

    def run(*words: object, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hydra_kg", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**environment, **more},
        )

    return run


@pytest.fixture
def empty_store(tmp_path: Path) -> Path:
    """A store that holds nothing."""
    from hydra_kg.stores import open_store

    open_store(tmp_path / "empty", create=True).close()
    return tmp_path / "empty"

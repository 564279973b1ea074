"""A full disk, and a limit on the size of files, in every operation: a clear error, the store as it was, on it goes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.programs import OWN_MOUNTS, own_environment, why_no_mounts

CHILD = Path(__file__).resolve().parents[2] / "helpers" / "samples" / "small_disk.py"


@pytest.fixture(scope="module", params=["disk", "limit"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the process of tests/helpers/samples/small_disk.py says of each operation."""
    how = request.param
    if how == "disk" and (why := why_no_mounts()):
        pytest.skip(f"no small file system: {why}")
    command = [sys.executable, str(CHILD), how, str(tmp_path_factory.mktemp(how))]
    env = own_environment(drop=("COVERAGE_",))  # its files would not fit either
    done = subprocess.run(
        [*(OWN_MOUNTS if how == "disk" else ()), *command],
        capture_output=True,
        text=True,
        check=False,
        env=env,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr  # no signal either: neither SIGBUS nor SIGXFSZ
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("operation", ["load", "replace", "drop", "drop a source of several", "compact", "publish"])
def test_without_room_nothing_changes_and_it_goes_on_later(told: dict[str, Any], operation: str) -> None:
    found = told[operation]
    *failed, last = found["tries"]
    assert len(failed) >= (1 if operation == "drop" else 2)
    for one in failed:
        assert one["error"] == "DiskFullError", one
        assert "ree space" in one["remedy"], one
        assert (one["seen"], one["wrong"]) == (found["before"]["seen"], []), one
    assert last["error"] == ""
    assert (last["seen"], last["wrong"]) == (found["wanted"], [])
    assert last["merged"] == (operation == "compact")


def test_an_answer_that_cannot_be_kept_is_printed_with_one_warning(told: dict[str, Any]) -> None:
    asked = told["ask"]["ask"]
    assert asked["code"] in {0, 3}, asked["err"]  # answered, or said that there is no answer
    assert asked["out"].strip()
    assert asked["err"].count("warning: The answer could not be stored") == 1, asked["err"]
    assert "Traceback" not in asked["err"]

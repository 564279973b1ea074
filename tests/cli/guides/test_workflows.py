"""The files of a hosted CI fit their schema and call scripts of this project that can be run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.slow
def test_workflows_fit_the_schema():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert WORKFLOWS
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_runs_is_there(workflow: Path):
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    commands = [step["run"].split()[0] for job in jobs.values() for step in job["steps"] if "run" in step]
    scripts = [ROOT / command for command in commands if command.startswith(".ci/")]
    assert scripts or workflow.stem != "ci"
    assert [str(script) for script in scripts if not os.access(script, os.X_OK)] == []

"""Ctrl-C is never lost, wherever in Python it comes."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import signal, time
import click
from hydra_kg.cli.main import LazyGroup

class Closed:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)  # what comes here, Python prints and forgets

class Group(LazyGroup):
    def get_command(self, ctx, name):
        return work

@click.command
def work():
    Closed()
    for _ in range(1000):
        time.sleep(0.01)
    print("done")

Group()(["load"])
"""


@pytest.mark.usefixtures("heeds_interrupts")
def test_ctrl_c_in_a_finaliser_interrupts_the_command():
    done = subprocess.run([sys.executable, "-c", CODE], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 130, done
    assert not done.stdout
    assert done.stderr.strip().startswith("Interrupted. Nothing of what was being loaded is visible.")

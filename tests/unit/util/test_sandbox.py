"""A confined process reaches no network, writes no file and ends where it takes too much."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = "from hydra_kg.util.sandbox import allow_seconds, confine\n"


def run(code: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, after the import of the module."""
    program = [sys.executable, "-c", BEFORE + code]
    return subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.create_connection(('127.0.0.1', 1))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "urllib.request.urlopen('http://127.0.0.1:1/')",
    ],
)
def test_no_connection_and_no_look_up(code: str) -> None:
    done = run(f"import urllib.request\nconfine(memory=1 << 30)\n{code}")
    assert done.returncode == 1
    assert "nothing outside itself" in done.stderr


def test_nothing_is_written_unless_files_are_allowed(tmp_path: Path) -> None:
    file = tmp_path / "out"
    write = f"open({str(file)!r}, 'w').write('text')"
    assert run(f"confine(memory=1 << 30)\n{write}").returncode == -signal.SIGXFSZ or not file.read_text()
    assert run(f"confine(memory=1 << 30, files=True)\n{write}").returncode == 0
    assert file.read_text() == "text"


def test_memory_ends_where_the_bound_is() -> None:
    done = run("confine(memory=1 << 28)\nbytearray(1 << 28)")
    assert done.stderr.rstrip().endswith("MemoryError")
    assert run("confine(memory=1 << 30)\nbytearray(1 << 28)").returncode == 0


def test_time_counts_from_the_last_piece() -> None:
    spin = "import time\nwhile time.process_time() < {}: pass\n"
    assert run("allow_seconds(0)\n" + spin.format(2.2)).returncode == -signal.SIGXCPU
    assert run(f"{spin.format(0.9)}allow_seconds(1)\n{spin.format(1.5)}").returncode == 0

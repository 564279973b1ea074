"""Threads share arenas of memory where the C library can have them do so."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, threading
from hydra_kg.util.heap import share_arenas
share = {share}
assert not share or share_arenas()
together = threading.Barrier(6)
def work():
    block = ctypes.create_string_buffer(70_000)  # from malloc, at the same time as the others
    together.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
for t in threads: t.start()
for t in threads: t.join()
ctypes.CDLL(None).malloc_stats()
"""


def arenas(*, share: bool) -> int:
    command = [sys.executable, "-c", PROGRAM.format(share=share)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stderr.count("Arena ")


def test_threads_share_arenas():
    if not hasattr(ctypes.CDLL(None), "malloc_stats"):
        pytest.skip("the C library is not glibc")
    assert arenas(share=True) <= 2 < arenas(share=False)

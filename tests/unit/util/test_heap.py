"""Threads share arenas of memory, and large blocks are given back, where the C library can have them do so."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

ARENAS = """
import threading
together = threading.Barrier(6)
def work():
    block = ctypes.create_string_buffer(70_000)  # from malloc, at the same time as the others
    together.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
for t in threads: t.start()
for t in threads: t.join()
ctypes.CDLL(None).malloc_stats()
"""

LARGE_BLOCKS = """
for _ in range(2):
    block = None
    block = ctypes.create_string_buffer(20_000_000)
ctypes.CDLL(None).malloc_stats()
"""

pytestmark = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_stats"), reason="the C library is not glibc")


def stats(program: str, *, small: bool) -> str:
    begin = "import ctypes\nfrom hydra_kg.util.heap import keep_small\n" + ("assert keep_small()\n" if small else "")
    done = subprocess.run(
        [sys.executable, "-c", begin + program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stderr


def test_threads_share_arenas():
    found = {small: stats(ARENAS, small=small).count("Arena ") for small in (True, False)}
    assert found[True] <= 2 < found[False]


def test_large_blocks_are_in_no_arena_however_often_they_are_freed():
    def in_arenas(text: str) -> int:
        return int(text.partition("Arena 0:")[2].partition("system bytes")[2].partition("=")[2].split()[0])

    found = {small: in_arenas(stats(LARGE_BLOCKS, small=small)) for small in (True, False)}
    assert found[True] < 20_000_000 < found[False]


SETTLED = """
import gc, time
from hydra_kg.util.heap import settle
def looked():
    began = time.process_time()
    gc.collect()
    return time.process_time() - began
lasting = [{n: [n]} for n in range(200_000)]
before = looked()
settle()
print(before / looked())
"""


def test_what_is_settled_is_looked_through_no_more():
    done = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True, timeout=60)
    assert float(done.stdout) > 5

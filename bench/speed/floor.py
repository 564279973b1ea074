"""What no loader in Python can do without: a file unpacked, and its lines parsed and forgotten.

    python bench/speed/floor.py FILE 0|1|2

0: unpacked alone · 1: and every line parsed, in one process · 2: by two, which this one feeds. Entities are parsed by
orjson, triples split at two spaces.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson

from hydra_kg.ingest.contract.feed import chunks, whole_lines

_BLOCK = 1 << 20
_LONGEST = 32 << 20


def parse(blocks: Iterator[bytes]) -> None:
    """Parse every line of some blocks of whole lines."""
    for block in blocks:
        for line in block.split(b"\n"):
            if line.startswith(b"{"):
                orjson.loads(line.rstrip(b",\r"))
            else:
                line.split(b" ", 2)


def main(file: str, processes: int) -> None:
    """Unpack ``file``, or take what comes on standard input for ``-``."""
    data = iter(lambda: sys.stdin.buffer.read(_BLOCK), b"") if file == "-" else chunks(Path(file))
    if not processes:
        for _ in data:
            pass
    elif processes == 1:
        parse(whole_lines(data, _LONGEST))
    else:
        both = [subprocess.Popen([sys.executable, __file__, "-", "1"], stdin=subprocess.PIPE) for _ in range(2)]
        for number, block in enumerate(whole_lines(data, _LONGEST)):
            both[number % 2].stdin.write(block)  # type: ignore[union-attr]
        for worker in both:
            worker.communicate()
        sys.exit(max(worker.returncode for worker in both))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

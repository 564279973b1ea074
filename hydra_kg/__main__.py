"""Run the command: ``hydra-kg`` is ``python -m hydra_kg``.

It handles Ctrl-C before anything large is imported.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

_COLLECTED_AFTER = 200_000
"""Objects between two runs of the garbage collector. Imports make that many, and none of them is garbage."""


def main() -> None:
    """Run the command of this process. If it is interrupted before it starts, print one line."""
    gc.set_threshold(_COLLECTED_AFTER, 20, 50)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read by numpy, whose idle threads wait busily for a while
    if sys.stdin is None:  # closed by the caller: an empty one is easier to deal with everywhere
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  for as long as the process runs
    try:
        from hydra_kg.cli.main import main as command
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. Nothing was done.\n")
        sys.exit(130)  # as cli.main.INTERRUPTED
    try:
        command(prog_name="hydra-kg")
    finally:
        if "duckdb" not in sys.modules:  # which reports everything that is not freed at the end
            gc.freeze()  # to look for garbage once more takes a tenth of a short command's time


if __name__ == "__main__":
    main()

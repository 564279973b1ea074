"""Worker process of the Wikidata JSON loader: ``python -m hydra_kg_loaders.wikidata.worker RULES LANGUAGES``."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path

from hydra_kg.ingest.workers import Handle, serve
from hydra_kg_loaders.wikidata.entities import Entities

_STRIDE = 1 << 18
"""Number of bytes of a piece that are read at a time. They stay in the processor's cache."""


def handler(rules: str, languages: str) -> Handle:
    """Return the function that makes the rows of a piece. Both arguments are lists separated by commas."""
    entities = Entities(rules=frozenset(rules.split(",")), languages=languages.split(","))

    def handle(piece: Path, made: Path, first: int) -> str:
        entities.counts.clear()
        with (
            piece.open("rb", _STRIDE) as read,
            made.open("w", _STRIDE, encoding="utf-8", errors="replace", newline="\n") as out,
        ):
            while lines := read.readlines(_STRIDE):
                out.write(entities.lines(lines, first))
                first += len(lines)
        return json.dumps(entities.counts)

    return handle


if __name__ == "__main__":
    gc.disable()  # documents are trees: nothing is left for it to find
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the loader ends us
    serve(handler(*sys.argv[1:3]))
    os._exit(0)  # all is said and written; to take everything apart would take its time

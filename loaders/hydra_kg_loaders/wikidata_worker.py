"""A worker process of the Wikidata JSON loader: ``python -m hydra_kg_loaders.wikidata_worker RULES LANGUAGES``."""

from __future__ import annotations

import gc
import json
import signal
import sys
from pathlib import Path

from hydra_kg.ingest.workers import Handle, serve
from hydra_kg_loaders.wikidata_entities import Entities

_STRIDE = 1 << 21
"""Bytes of a piece that are looked at in one go."""


def handler(rules: str, languages: str) -> Handle:
    """What makes rows of a piece; both arguments are lists separated by commas."""
    entities = Entities(rules=frozenset(rules.split(",")), languages=languages.split(","))

    def handle(piece: Path, made: Path, first: int) -> str:
        entities.counts.clear()
        with piece.open("rb") as lines, made.open("w", encoding="utf-8", errors="replace", newline="\n") as out:
            while block := lines.read(_STRIDE):
                block += lines.readline()
                out.write(entities.lines(block, first))
                first += block.count(b"\n")
        return json.dumps(entities.counts)

    return handle


if __name__ == "__main__":
    gc.disable()  # documents are trees: nothing is left for it to find
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the loader ends us
    serve(handler(*sys.argv[1:3]))

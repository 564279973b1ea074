"""A process that damages a store file by file and reads it each time; prints what came of it as JSON.

``damage.py STORE SEED FLIPS``: every file of the ready loads, of what is merged and of the generation is cut at several
lengths, and has so many bits turned, one at a time; then a reader opens the store and reads all of it.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from hydra_kg.errors import HydraError
from hydra_kg.stores.embedded.segments.array_folder import MANIFEST
from hydra_kg.stores.embedded.store import EmbeddedStore


def everything(path: Path) -> str:
    """All that a reader can be told."""
    with EmbeddedStore(path) as store, store.snapshot() as s:
        classes = s.pinned.generation.classes.tolist()
        graph = s.cut(classes[:5], depth=3)
        parts: list[object] = [
            s.manifest(),
            s.entities(classes),
            s.passages(classes, query="thing"),
            s.find(["a Q7", "b Q11"], reach="near"),
            s.relation_pairs().tolist(),
            graph.src.tolist(),
            graph.dst.tolist(),
            graph.pred.tolist(),
            s.facts(graph.segment, graph.row),
            s.values(classes),
            s.predicates().keys,
        ]
        return repr(parts)


def outcome(path: Path, whole: str, file: Path) -> dict[str, Any]:
    """How reading ends, and whether the doctor finds it."""
    try:
        end = "same" if everything(path) == whole else "different"
        said = ""
    except HydraError as e:
        end, said = "error", str(e)
    except Exception as e:  # not what a person should meet, but no crash
        end, said = "fault", f"{type(e).__name__}: {e}"
    with EmbeddedStore(path) as store:
        found = [f.what for f in store.doctor() if f.level == "error"]
    return {"file": file.name, "folder": str(file.parent), "end": end, "said": said, "found": found}


def main(store: str, seed: str, flips: str) -> None:
    """See the module."""
    path, draw = Path(store), random.Random(seed)
    whole = everything(path)
    told: dict[str, list[dict[str, Any]]] = {"cut": [], "turned": []}
    files = sorted(f for part in ("loads", "merged", "generations") for f in (path / part).glob("*/*") if f.is_file())
    for file in files:
        data = file.read_bytes()
        print(file, file=sys.stderr, flush=True)
        for length in sorted({0, len(data) // 2, len(data) - 1} & set(range(len(data)))):
            file.write_bytes(data[:length])
            told["cut"].append(outcome(path, whole, file))
        for _ in range(int(flips) if data and file.name != MANIFEST else 0):
            at = draw.randrange(len(data))
            turned = bytearray(data)
            turned[at] ^= 1 << draw.randrange(8)
            file.write_bytes(turned)
            told["turned"].append({"at": at, **outcome(path, whole, file)})
        file.write_bytes(data)
    print(json.dumps({"same": everything(path) == whole, **told}))


if __name__ == "__main__":
    main(*sys.argv[1:])

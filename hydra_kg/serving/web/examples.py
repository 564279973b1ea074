"""Describe a store and remember that next to it: classes, relations, and questions that it answers."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any, Final

from hydra_kg.client import Hydra
from hydra_kg.ports import Snapshot
from hydra_kg.serialise import answer_json
from hydra_kg.serving.web.overview import schema_rows
from hydra_kg.serving.web.sentences import sentence_parts
from hydra_kg.steps.schema.store_description import describe
from hydra_kg.text.folding import fold
from hydra_kg.text.quantities import read_amount

FILE: Final = "overview.json"
"""The file with the description, next to the store's other files."""

VERSION: Final = 3
"""Version of the description. One of another version is made again."""

WANTED: Final = 8
TRIED: Final = 5
"""Most candidates that are asked for each example that is wanted."""

LONGEST: Final = 70
"""Most letters of an example, because longer ones are hard to read."""

Json = dict[str, Any]


def load_overview(folder: Path, snapshot: Snapshot) -> Json:
    """Return an overview of the present loads, which is made once and written next to the store.

    - ``schema``: the schema of the loads
    - ``candidates``: questions with the answers that the facts give
    - ``questions``: questions that were asked and answered, or None if they were not asked yet
    """
    key = manifest_key(snapshot)
    try:
        doc = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        doc = None
    if isinstance(doc, dict) and doc.get("loads") == key:
        return doc
    found = describe(snapshot)
    some = [one for one in found.candidates if len(one.question) <= LONGEST][: WANTED * TRIED]
    candidates = [{"question": one.question, "answers": list(one.answers)} for one in some]
    doc = {"loads": key, "schema": schema_rows(snapshot, found), "candidates": candidates, "questions": None}
    write_overview(folder, doc)
    return doc


def manifest_key(snapshot: Snapshot) -> str:
    """Return a key that identifies the present loads of a store."""
    loads = sorted((info.name, info.checksum) for info in snapshot.manifest())
    return hashlib.sha256(json.dumps([VERSION, loads]).encode()).hexdigest()[:16]


def asked_example(hydra: Hydra, candidate: Json) -> list[Json]:
    """Ask a candidate without a model, since nobody asked to spend one.

    Return it with its answer if the answer is as the facts say, else []. Several numbers for one thing are no example.
    """
    if len(candidate["answers"]) > 1 and not any(map(math.isnan, map(read_amount, candidate["answers"]))):
        return []
    answer = hydra.ask(candidate["question"], agent="offline")
    if {fold(a.name) for a in answer.answers} != {fold(a) for a in candidate["answers"]}:
        return []
    doc = answer_json(answer)
    said = "".join(part["text"] for part in sentence_parts(doc))
    return [{"question": candidate["question"], "answer": answer.id, "text": said or doc["answer_text"][:200]}]


def write_overview(folder: Path, doc: Json) -> None:
    """Write an overview next to the store, atomically. It is made again for a store that cannot be written."""
    path = folder / FILE
    part = path.with_suffix(".part")
    try:
        part.write_text(json.dumps(doc, ensure_ascii=False), "utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)

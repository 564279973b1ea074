"""Question sets in the data pack's JSONL layout, and which of their questions a graph can answer at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra_kg.errors import FormatError, NotFoundError


@dataclass(frozen=True, slots=True)
class Question:
    """One question. ``gold`` is for scoring alone: what a strategy gets is ``text`` and, if asked for, ``topics``.

    ``gold``: None where the file has no answers (they are joined when the run is scored), () where there is none ·
    ``query``: gold SPARQL, or "" · ``relations``: gold relations of a set without SPARQL.
    """

    dataset: str
    id: str
    text: str
    topics: tuple[str, ...]
    gold: tuple[Mapping[str, Any], ...] | None
    query: str = ""
    relations: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """(dataset, id)."""
        return self.dataset, self.id


@dataclass(frozen=True, slots=True)
class Answerable:
    """What a slice holds for one question: ``reachable`` (topic and answer within three hops), ``query_runs`` (the
    gold SPARQL finds at least one gold answer): the honest denominator."""

    reachable: bool
    query_runs: bool


Ability = Mapping[tuple[str, str], Answerable]
"""What a graph holds, by (data set, question id)."""


def read_questions(
    dataset: str | Path, *, limit: int = 0, seed: int = 0, only: Ability | None = None
) -> list[Question]:
    """The questions of a file, or of a set by name (looked up in ``HYDRA_DATA/questions``); in the file's order.

    ``only``: those that the graph can answer (``able``) · ``limit`` > 0 draws that many of them without replacement
    with ``seed``. The data set is called like its file, without ``.jsonl`` and ``.gz``. Raises NotFoundError,
    FormatError with file and line.
    """
    path = find_dataset(dataset)
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    questions = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip():
            questions.append(_question(line, name, f"{path.name}:{number}"))
    seen: set[str] = set()
    for q in questions:
        if q.id in seen:
            raise FormatError(
                f"{path.name}: the question id {q.id!r} is there twice.", remedy="Give each question its own id."
            )
        seen.add(q.id)
    if only is not None:
        questions = able(questions, only)
    if 0 < limit < len(questions):
        chosen = set(random.Random(f"{seed}:{name}").sample(range(len(questions)), limit))
        questions = [q for i, q in enumerate(questions) if i in chosen]
    return questions


def able(questions: Sequence[Question], known: Ability) -> list[Question]:
    """Those that a graph can answer: whose gold query finds a gold answer; in a set where none does, with an answer
    within three hops; all questions of a set of which nothing is known."""
    rows = [(q, a) for q in questions if (a := known.get(q.key))]
    runs, near = ([q for q, a in rows if getattr(a, part)] for part in ("query_runs", "reachable"))
    return (runs or near) if rows else list(questions)


def find_dataset(dataset: str | Path) -> Path:
    """The file of a data set given as path or name. Raises NotFoundError that says where it looked."""
    if Path(dataset).is_file():
        return Path(dataset)
    tried = []
    if root := os.environ.get("HYDRA_DATA"):
        for folder in (Path(root, "questions", "dev"), Path(root, "questions"), Path(root)):
            for suffix in (".jsonl", ".jsonl.gz"):
                tried.append(folder / f"{dataset}{suffix}")
                if tried[-1].is_file():
                    return tried[-1]
    where = f"; HYDRA_DATA has none of that name in {tried[0].parent}" if tried else ""
    raise NotFoundError(
        f"There is no question file {dataset}{where}.",
        remedy="Give the path of a .jsonl file, or a name with HYDRA_DATA set to the data pack.",
    )


def read_answerable(path: Path) -> dict[tuple[str, str], Answerable]:
    """(dataset, question id) → what the slice holds, from a TSV with the columns ``dataset``, ``id``, ``hops_core``
    and ``gold_sparql_f1_core``. Raises FormatError."""
    rows: dict[tuple[str, str], Answerable] = {}
    reader = csv.DictReader(io.StringIO(_text(path)), delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = {"dataset", "id", "hops_core", "gold_sparql_f1_core"} - set(reader.fieldnames or ())
    if missing:
        raise FormatError(
            f"{path.name} lacks the columns {', '.join(sorted(missing))}.",
            remedy="Give the data pack's answerable.dev.tsv.gz.",
        )
    for row in reader:
        hops, f1 = _number(row["hops_core"]), _number(row["gold_sparql_f1_core"])
        rows[row["dataset"], row["id"]] = Answerable(hops is not None and 1 <= hops <= 3, f1 is not None and f1 > 0)
    return rows


def _question(line: str, dataset: str, place: str) -> Question:
    try:
        doc = json.loads(line)
        topics: Sequence[Mapping[str, Any]] = doc.get("topic_entities") or ()
        question = Question(
            dataset,
            str(doc["id"]),
            str(doc["question"]),
            tuple(str(t["id"]) for t in topics if t.get("id")),
            tuple(dict(a) for a in doc["answers"] or ()) if "answers" in doc else None,
            str(doc.get("gold_sparql") or ""),
            tuple(map(str, doc.get("relation") or ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise FormatError(
            f"{place} is not a question ({type(e).__name__}: {e}).",
            remedy="One JSON object a line with id, question and, for scoring, answers [{id, name}].",
        ) from e
    return question


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.", remedy="Check the path.") from None
    except (OSError, EOFError, UnicodeDecodeError) as e:
        raise FormatError(f"{path.name} cannot be read: {e}.", remedy="Get the file again.") from e

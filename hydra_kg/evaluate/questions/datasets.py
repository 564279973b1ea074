"""Question sets in the data pack's JSONL layout, and which of their questions a graph can answer."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.questions.gold_graph import relations_of
from hydra_kg.evaluate.scoring.gold_comparison import read_date, read_number
from hydra_kg.evaluate.scoring.metrics import is_claim
from hydra_kg.util.fast_dataclass import dataclass

KINDS: Final = ("Entity", "Number", "Date", "Text", "Truth value")


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """Expectations of the plain layout.

    - ``kind``: the kind of question, such as "count".
    - ``expect``: one of ``EXPECTATIONS``.
    - ``also``: values that the sources state and that are neither asked for nor wrong.
    - ``partial_ok``: whether some of the gold answers alone are partly right.
    """

    kind: str
    expect: str
    also: tuple[Mapping[str, Any], ...] = ()
    partial_ok: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question; strategies see only ``text`` and, if set so, ``topics``.

    - ``gold``: the answers for scoring, None if unknown, () if there are none.
    - ``query``: the gold SPARQL.
    - ``relations``: the gold relations of sets without SPARQL.
    - ``expected``: the expectations of the plain layout.
    """

    dataset: str
    id: str
    text: str
    topics: tuple[str, ...]
    gold: tuple[Mapping[str, Any], ...] | None
    query: str = ""
    relations: tuple[str, ...] = ()
    expected: ExpectedAnswer | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The key (dataset, id)."""
        return self.dataset, self.id


@dataclass(frozen=True, slots=True)
class Answerable:
    """What a slice has for a question.

    ``reachable`` says whether gold is within three hops, ``query_runs`` whether the gold SPARQL finds gold.
    """

    reachable: bool
    query_runs: bool


EXPECTATIONS: Final = ("answer", "yes", "no", "true", "false", "unknown", "silent")
"""Expectations of the plain layout: an answer, a truth value, or silence (``unknown`` for a statement)."""

Ability = Mapping[tuple[str, str], Answerable]
"""What a graph has for each (data set, question id)."""


def read_questions(
    dataset: str | Path, *, limit: int = 0, seed: int = 0, only: Ability | None = None
) -> list[Question]:
    """Return the questions of a file or a named set (``HYDRA_DATA/questions``), in order.

    ``only`` restricts them to answerable ones. ``limit`` takes a random sample, drawn with ``seed``. Raises
    NotFoundError or FormatError.
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
                f"{path.name}: the question id {q.id!r} occurs twice.", remedy="Give each question its own id."
            )
        seen.add(q.id)
    if only is not None:
        questions = able(questions, only)
    if 0 < limit < len(questions):
        chosen = set(random.Random(f"{seed}:{name}").sample(range(len(questions)), limit))
        questions = [q for i, q in enumerate(questions) if i in chosen]
    return questions


def able(questions: Sequence[Question], known: Ability) -> list[Question]:
    """Return the questions whose gold query finds gold, else those within three hops, or all of an unknown set."""
    rows = [(q, a) for q in questions if (a := known.get(q.key))]
    runs, near = ([q for q, a in rows if getattr(a, part)] for part in ("query_runs", "reachable"))
    return (runs or near) if rows else list(questions)


def find_dataset(dataset: str | Path) -> Path:
    """Return the file of a data set given as a path or a name. Raises NotFoundError that says where it looked."""
    if Path(dataset).is_file():
        return Path(dataset)
    tried = []
    if root := os.environ.get("HYDRA_DATA"):
        own = Path(root, str(dataset).split(".")[0])  # a set with a folder of its own, given with or without its half
        for folder in (Path(root, "questions", "dev"), Path(root, "questions"), Path(root), own):
            for suffix in (".jsonl", ".jsonl.gz", ".dev.jsonl", ".dev.jsonl.gz"):
                tried.append(folder / f"{dataset}{suffix}")
                if tried[-1].is_file():
                    return tried[-1]
    where = f"; HYDRA_DATA has none of that name in {tried[0].parent}" if tried else ""
    raise NotFoundError(
        f"There is no question file {dataset}{where}.",
        remedy="Give the path of a .jsonl file, or a name with HYDRA_DATA set to the data pack.",
    )


def read_answerable(path: Path) -> dict[tuple[str, str], Answerable]:
    """Return what the slice has by (dataset, id), from a TSV that ``eval gold`` wrote. Raises FormatError."""
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
    """Return the question of one JSON line. Raises FormatError."""
    try:
        doc = json.loads(line)
        topics: Sequence[Mapping[str, Any]] = doc.get("topic_entities") or ()
        expected = _expected(doc)
        question = Question(
            dataset,
            str(doc["id"]),
            str(doc["question"]),
            tuple(str(t["id"]) for t in topics if t.get("id")),
            _plain_gold(doc) if expected else _gold(doc),
            str(doc.get("gold_sparql") or ""),
            tuple(map(str, doc.get("relation") or ())),
            expected,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise FormatError(
            f"{place} is not a question ({type(e).__name__}: {e}).",
            remedy="One JSON object a line with id, question and, for scoring, answers [{id, name}].",
        ) from e
    return question


def _gold(doc: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...] | None:
    return tuple(dict(a) for a in doc["answers"] or ()) if "answers" in doc else None


def _expected(doc: Mapping[str, Any]) -> ExpectedAnswer | None:
    """Return the expectations of a line in the plain layout, or None for another layout.

    The plain layout is recognised by ``kind`` and ``expect``. Raises ValueError.
    """
    if "kind" not in doc or "expect" not in doc:
        return None
    if doc["expect"] not in EXPECTATIONS:
        raise ValueError(f"expect is {doc['expect']!r}, not one of {', '.join(EXPECTATIONS)}")
    if doc["expect"] == "answer" and not doc["answers"]:
        raise ValueError("an answer is expected, and answers is empty")
    also = tuple(map(_plain, doc.get("also") or ()))
    return ExpectedAnswer(str(doc["kind"]), doc["expect"], also, bool(doc.get("partial_ok")))


def _plain_gold(doc: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return the gold answers of a line in the plain layout.

    For a yes-no question or a statement this is its truth value.
    """
    truth = {"yes": "true", "true": "true", "no": "false", "false": "false"}.get(doc["expect"])
    return ({"name": truth},) if truth else tuple(map(_plain, doc.get("answers") or ()))


def _plain(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gold answer with the plain layout's ``ids``. Raises KeyError or ValueError."""
    if answer.get("date") and read_date(str(answer["name"])) is None:
        raise ValueError(f"{answer['name']!r} is not a date")
    if "value" in answer and read_number(str(answer["name"])) is None:
        raise ValueError(f"{answer['name']!r} is not a number")
    return {"ids": [], **answer, "name": str(answer["name"])}


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


def describe_set(name: str, questions: Sequence[Question]) -> dict[str, Any]:
    """Return the statistics of one set (HydraRAG Table 10, PoG Table 9).

    ``kinds`` counts the kinds of answers. ``answers`` and ``relations`` are means.
    """
    golds = [q.gold for q in questions if q.gold]
    found = Counter(kind for gold in golds for kind in {kind_of(a, gold) for a in gold})
    lengths = [len(chain) for q in questions if (chain := relations_of(q.query) or q.relations)]
    return {
        "set": name,
        "questions": len(questions),
        "gold": len(golds),
        "answers": sum(map(len, golds)) / len(golds) if golds else None,
        "kinds": {kind: found[kind] for kind in sorted(found, key=lambda k: (-found[k], KINDS.index(k)))},
        "single_topic": sum(len(q.topics) == 1 for q in questions),
        "multi_topic": sum(len(q.topics) > 1 for q in questions),
        "queries": sum(bool(q.query) for q in questions),
        "relations": sum(lengths) / len(lengths) if lengths else None,
    }


def kind_of(answer: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> str:
    """Return one of ``KINDS``; an entity has an id, or ids that it may have."""
    if any(answer.get(name) for name in ("id", "ids", "candidate_ids")):
        return "Entity"
    if is_claim(gold):
        return "Truth value"
    name = str(answer.get("name") or "")
    if read_number(name) is not None and not (len(name) == 4 and name.isdigit()):
        return "Number"
    return "Date" if read_date(name) is not None else "Text"

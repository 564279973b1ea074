"""The raw outputs of a run, one JSON line for each question, from which every figure is computed."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from hydra_kg.errors import FormatError, NotFoundError, StoreBusyError
from hydra_kg.evaluate.questions.datasets import Question

ANSWERS = "answers.jsonl"

Record = Mapping[str, Any]


class Key(NamedTuple):
    """Identity of one evaluation record: a question under one setup, asked once."""

    dataset: str
    question: str
    strategy: str
    settings: str
    sample: int


def key_of(record: Record) -> Key:
    """Return the key of a record. Raises KeyError or TypeError for a document that is no record."""
    return Key(
        str(record["dataset"]),
        str(record["question_id"]),
        str(record["strategy"]),
        str(record.get("settings_hash") or ""),
        int(record.get("sample") or 0),
    )


def read_records(
    folder: Path, *, must_exist: bool = True, repair: bool = False, name: str = ANSWERS
) -> dict[Key, dict[str, Any]]:
    """Return the newest record of each key, in the order of the file; arguments as in :func:`each_record`."""
    return dict(each_record(folder, must_exist=must_exist, repair=repair, name=name))


def each_record(
    folder: Path, *, must_exist: bool = True, repair: bool = False, name: str = ANSWERS
) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield every record with its key; of equal keys the last one counts.

    ``repair`` removes a half-written last line and must only be used when no run writes. Raises NotFoundError or
    FormatError.
    """
    path = folder / name
    if not path.is_file():
        if must_exist:
            raise NotFoundError(f"{folder} holds no {name}.", remedy="Make one: hydra-kg eval run DATASET --out DIR.")
        return
    for start, line in _lines(path):
        try:
            record = _parse_line(line)
            key = key_of(record)
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            if not line.endswith(b"\n"):
                if repair:
                    with path.open("r+b") as file:
                        file.truncate(start)
                return
            raise FormatError(
                f"{path}: the line at byte {start} is not a record of a run ({e}).",
                remedy="Remove the line; its question is asked again.",
            ) from e
        yield key, record


def _parse_line(line: bytes) -> Any:
    try:  # several times as fast as json
        return orjson.loads(line)
    except ValueError:  # NaN, lone surrogates
        return json.loads(line)


@contextmanager
def writing(folder: Path, name: str = ANSWERS) -> Iterator[IO[str]]:
    """Yield the file of records, opened for appending by this process alone. Raises StoreBusyError."""
    with (folder / name).open("a", encoding="utf-8", errors="replace") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreBusyError(
                f"Another run writes into {folder}.", remedy="Wait for it, or give another folder with --out."
            ) from None
        yield file


def append(file: IO[str], record: Record) -> None:
    """Append a record as one line and flush it, so that a killed run loses nothing."""
    file.write(json.dumps(record, ensure_ascii=False) + "\n")
    file.flush()


def replace_gold(records: Iterable[Record], questions: Sequence[Question]) -> list[Record]:
    """Return the records with the gold of question files in place of theirs, joined by data set and id."""
    gold = {q.key: reference(q) for q in questions}
    return [{**r, **gold.get((r["dataset"], r["question_id"]), {})} for r in records]


def reference(question: Question) -> dict[str, Any]:
    """Return the parts of a question that a record stores only for scoring and analysis."""
    doc: dict[str, Any] = {"gold": None if question.gold is None else list(question.gold)}
    if question.topics:
        doc["gold_topics"] = list(question.topics)
    if question.query:
        doc["gold_sparql"] = question.query
    if question.relations:
        doc["gold_relations"] = list(question.relations)
    if question.expected:
        doc["expected"] = asdict(question.expected)
    return doc


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    start = 0
    with path.open("rb") as file:
        for line in file:
            yield start, line
            start += len(line)

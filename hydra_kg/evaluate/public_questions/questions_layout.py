"""The layout of ``eval run``, made from records of published sets: one JSON line for each question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import Row, wrong
from hydra_kg.util.fast_dataclass import dataclass, field

Record = Mapping[str, Any]

_SPLITS: Final = {"train": "train", "valid": "valid", "dev": "dev", "val": "valid", "test": "test"}
_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Converted:
    """One question.

    ``answers`` is None if the file has no gold. ``more`` has further fields, which are copied unchanged.
    """

    id: str
    text: str
    answers: tuple[Mapping[str, Any], ...] | None
    topics: tuple[Mapping[str, Any], ...] = ()
    query: str = ""
    relations: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PublicSet:
    """Description of how one set is published.

    ``rows`` reads a file. ``question`` converts a record, its number and its split, or returns None to skip the record;
    it raises KeyError, TypeError or ValueError.
    """

    name: str
    title: str
    kb: str
    files: str
    rows: Callable[[Path], Iterator[Row]]
    question: Callable[[Any, int, str], Converted | None]


@dataclass(slots=True)
class ConversionCount:
    """Number of questions that were written, of those without gold, and of records that were left out."""

    questions: int = 0
    without_gold: int = 0
    left_out: int = 0


def convert(chosen: PublicSet, files: Iterable[Path], out: Path) -> ConversionCount:
    """Write published questions to ``out`` after all are read. Raises FormatError, NotFoundError or OSError."""
    count, seen = ConversionCount(), set[str]()
    unfinished = out.with_name(f"{out.name}.part")
    try:
        with unfinished.open("w", encoding="utf-8", errors="replace") as file:
            for path in files:
                for place, question in questions(chosen, path):
                    if question is None:
                        count.left_out += 1
                        continue
                    if question.id in seen:
                        raise wrong(path.name, place, f"the question {question.id!r} was there before")
                    seen.add(question.id)
                    count.questions += 1
                    count.without_gold += question.answers is None
                    file.write(json.dumps(line_of(question, chosen, split_of(path)), ensure_ascii=False) + "\n")
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
    return count


def questions(chosen: PublicSet, path: Path) -> Iterator[tuple[int, Converted | None]]:
    """Yield the questions of one file, each with its line; None for a record that is left out."""
    for line, number, value in chosen.rows(path):
        try:
            yield line, chosen.question(value, number, split_of(path))
        except KeyError as e:
            raise wrong(path.name, line, f"it is not a record of {chosen.title}: {e} is missing") from e
        except (TypeError, ValueError, AttributeError) as e:
            raise wrong(path.name, line, f"it is not a record of {chosen.title}: {e}") from e


def line_of(question: Converted, chosen: PublicSet, split: str) -> dict[str, Any]:
    """Return the document of a question, with the fields in the order of the data pack."""
    doc: dict[str, Any] = {"id": question.id, "question": question.text, "kb": chosen.kb}
    doc |= {"source_dataset": chosen.title, "split": split, "topic_entities": list(question.topics)}
    if question.answers is not None:
        doc["answers"] = list(question.answers)
    if question.relations:
        doc["relation"] = list(question.relations)
    return {**doc, "gold_sparql": question.query, **question.more}


def split_of(path: Path) -> str:
    """Return ``train``, ``dev``, ``valid`` or ``test`` by the name of a file, else of its folder, or ""."""
    words = [*_WORD.findall(path.name.lower()), path.parent.name.lower()]
    return next((_SPLITS[word] for word in words if word in _SPLITS), "")


def get_text(record: Record, name: str) -> str:
    """Return a text that must be there. Raises KeyError, TypeError or ValueError."""
    value = _mapping(record)[name]
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise TypeError(f"{name} is {type(value).__name__}, not a text")
    if not (text := " ".join(str(value).split())):
        raise ValueError(f"{name} is empty")
    return text


def maybe(record: Record, name: str) -> str:
    """Return a text that may be missing or empty."""
    value = _mapping(record).get(name)
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def get_list(record: Record, name: str) -> Sequence[Any]:
    """Return a list that may be missing or null. Raises TypeError."""
    value = _mapping(record).get(name)
    if value is not None and not isinstance(value, list):
        raise TypeError(f"{name} is {type(value).__name__}, not a list")
    return value or ()


def entity(key: str, name: str = "", aliases: Iterable[str] = ()) -> dict[str, Any]:
    """Return an entity, or, with ``key`` "", a value, in the form of the layout."""
    others = [a for a in dict.fromkeys(aliases) if a and a != name]
    return {"id": key, "name": name, **({"aliases": others} if others else {})}


def argument(answer: Record, *, value: str, name: str, kind: str) -> dict[str, Any]:
    """Return an entity with its name, or a value, as the field ``kind`` says.

    ``value``, ``name`` and ``kind`` are names of fields.
    """
    text = get_text(answer, value)
    return entity(text, maybe(answer, name)) if answer.get(kind) == "Entity" else entity("", text)


def distinct(found: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return each entity once, by its id, and each value once, by its name."""
    return tuple({(e["id"], "" if e["id"] else e["name"]): e for e in found if e["id"] or e["name"]}.values())


def _mapping(record: Any) -> Record:
    if not isinstance(record, dict):
        raise TypeError(f"it is {type(record).__name__}, not an object")
    return record

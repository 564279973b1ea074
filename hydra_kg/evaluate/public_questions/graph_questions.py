"""Questions on Wikidata and on films: QALD-7 (task 4) and QALD-10, KGQAGen-10k (arXiv:2505.23495), and MetaQA."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import Row, json_records, text_lines
from hydra_kg.evaluate.public_questions.questions_layout import (
    Converted,
    PublicSet,
    Record,
    distinct,
    entity,
    get_list,
    get_text,
    maybe,
)

_NAMED_IN_QUERY: Final = re.compile(r"(?:\bwd:|<http://www\.wikidata\.org/entity/)(Q\d+)\b")
_ADDRESS: Final = re.compile(r"https?://www\.wikidata\.org/(?:entity|wiki)/(Q\d+)")
_NAMED: Final = re.compile(r"(?P<name>.*\S)\s+\((?P<key>[QP]\d+)\)")
_IN_QUERY: Final = re.compile(r"\bwd:(Q\d+)\b")
_TOPIC: Final = re.compile(r"\[([^\[\]]+)\]")
_HOPS: Final = re.compile(r"([123])-?hop")


def convert_qald(record: Any, number: int, split: str, *, prefix: str) -> Converted | None:
    """Convert a record, or return None if it has no English text.

    Entities have no names in these sets. The topics are the entities that the query names.
    """
    text = next((maybe(q, "string") for q in get_list(record, "question") if q.get("language") == "en"), "")
    if not text:
        return None
    query = str((record.get("query") or {}).get("sparql") or "")
    return Converted(
        "-".join(part for part in (prefix, split, get_text(record, "id")) if part),
        text,
        distinct(a for given in get_list(record, "answers") for a in _values_of_result(given)),
        distinct(entity(key) for key in _NAMED_IN_QUERY.findall(query)),
        query,
    )


def _values_of_result(given: Record) -> Iterator[dict[str, Any]]:
    """Yield the bindings of a result in SPARQL's JSON format, or its truth value."""
    if "boolean" in given:
        yield entity("", "true" if given["boolean"] else "false")
    for binding in get_list(given.get("results") or {}, "bindings"):
        for value in binding.values():
            text = get_text(value, "value")
            found = _ADDRESS.fullmatch(text)
            yield entity(found[1]) if found else entity("", text)


def _qald(number: int, file: str) -> PublicSet:
    """Return the public set of one edition of QALD."""
    read, convert = partial(json_records, key="questions"), partial(convert_qald, prefix=f"qald-{number}")
    return PublicSet(f"qald{number}", f"QALD-{number}", "wikidata", file, read, convert)


QALD7 = _qald(7, "qald-7-test-en-wikidata.json")
QALD10 = _qald(10, "qald_10.json")


def convert_kgqagen(record: Any, number: int, split: str) -> Converted:
    """Convert a record. Raises KeyError, TypeError or ValueError.

    A record's proof names entities as "Bissau (Q3739)": ids of the answers, and names of the topics, come from there.
    The topics are the entities that the query names. An answer has no id if the proof names none, or several, like it.
    """
    names, relations = dict[str, str](), list[str]()
    for subject, relation, *objects in _proof(record):
        relations += [key for name, key in _entities([relation]) if name]
        names |= {key: name for name, key in _entities([subject, *objects])}
    alike = Counter(names.values())
    keys = {name: key for key, name in names.items() if alike[name] == 1}
    return Converted(
        "-".join(part for part in ("kgqagen", split, get_text(record, "id")) if part),
        get_text(record, "question"),
        distinct(_answer(str(text), keys) for text in get_list(record, "answer")),
        distinct(entity(key, names.get(key, "")) for key in _IN_QUERY.findall(maybe(record, "sparql"))),
        maybe(record, "sparql"),
        tuple(dict.fromkeys(relations)),
    )


def _proof(record: Any) -> Iterator[list[str]]:
    """Yield the triples of a proof. Raises TypeError for anything else."""
    for triple in get_list(record, "proof"):
        if not isinstance(triple, list) or len(triple) < 2:
            raise TypeError("a triple of its proof is not a list of three")
        yield [str(part) for part in triple]


def _entities(parts: list[str]) -> Iterator[tuple[str, str]]:
    """Yield name and id of each "name (id)"."""
    for part in parts:
        if found := _NAMED.fullmatch(part):
            yield found["name"], found["key"]


def _answer(text: str, keys: dict[str, str]) -> dict[str, Any]:
    """Return an answer with the id beside its name, or that of the proof, or none."""
    named = next(_entities([text]), None)
    name = named[0] if named else text
    return entity(named[1] if named else keys.get(name, ""), name)


KGQAGEN: Final = PublicSet("kgqagen", "KGQAGen-10k", "wikidata", "data.jsonl", json_records, convert_kgqagen)


def metaqa_rows(path: Path) -> Iterator[Row]:
    """Yield each line with the number of hops in the name of the file or of a folder above it."""
    hops = next((found[1] for part in reversed(path.parts) if (found := _HOPS.search(part))), "")
    for line, number, text in text_lines(path):
        yield Row(line, number, (hops, text))


def convert_metaqa(value: Any, number: int, split: str) -> Converted:
    """Convert a line: question, tab, and answers separated by bars; the topic is in square brackets."""
    hops, line = value
    text, sign, answers = line.partition("\t")
    if not sign:
        raise ValueError("no tab between question and answers")
    topics = _TOPIC.findall(text)
    name = "-".join(part for part in ("metaqa", f"{hops}hop" if hops else "", split, str(number)) if part)
    return Converted(
        name,
        " ".join(_TOPIC.sub(r"\1", text).split()),
        distinct(entity("", a.strip()) for a in answers.split("|")),
        distinct(entity("", t) for t in topics),
        more={"hops": int(hops)} if hops else {},
    )


METAQA: Final = PublicSet("metaqa", "MetaQA", "metaqa", "1-hop/vanilla/qa_test.txt", metaqa_rows, convert_metaqa)

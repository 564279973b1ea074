"""KGQAGen-10k (arXiv:2505.23495): ``data.jsonl``, one JSON record a line, generated and verified over Wikidata."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import json_records
from hydra_kg.evaluate.public_questions.questions_layout import (
    Converted,
    PublicSet,
    distinct,
    entity,
    get_list,
    get_text,
    maybe,
)

_NAMED: Final = re.compile(r"(?P<name>.*\S)\s+\((?P<key>[QP]\d+)\)")
_IN_QUERY: Final = re.compile(r"\bwd:(Q\d+)\b")


def question(record: Any, number: int, split: str) -> Converted:
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


SET: Final = PublicSet("kgqagen", "KGQAGen-10k", "wikidata", "data.jsonl", json_records, question)

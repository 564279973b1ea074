"""QALD-7 (task 4, Wikidata) and QALD-10: ``qald-7-test-en-wikidata.json``, ``qald_10.json``, English questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import json_records
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

_ENTITY: Final = re.compile(r"(?:\bwd:|<http://www\.wikidata\.org/entity/)(Q\d+)\b")
_ADDRESS: Final = re.compile(r"https?://www\.wikidata\.org/(?:entity|wiki)/(Q\d+)")


def question(record: Any, number: int, split: str, *, prefix: str) -> Converted | None:
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
        distinct(a for given in get_list(record, "answers") for a in _answers(given)),
        distinct(entity(key) for key in _ENTITY.findall(query)),
        query,
    )


def _answers(given: Record) -> Iterator[dict[str, Any]]:
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
    read, convert = partial(json_records, key="questions"), partial(question, prefix=f"qald-{number}")
    return PublicSet(f"qald{number}", f"QALD-{number}", "wikidata", file, read, convert)


QALD7 = _qald(7, "qald-7-test-en-wikidata.json")
QALD10 = _qald(10, "qald_10.json")

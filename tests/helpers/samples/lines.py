"""The lines of the sample's files, to look at what a citation opens."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import Any

from hydra_kg.domain import Fact, Locator
from hydra_kg.text.literals import literal_text
from hydra_kg.util.package_data import find_content

_TRIPLE = re.compile(r"<([^<>]+)>\s<([^<>]+)>\s(.+?)\s\.\s*")
_SPACES = ("http://rdf.freebase.com/ns/", "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/")


@cache
def lines(file: str) -> list[str]:
    """All lines of a file of the sample."""
    path = find_content("sample", file)
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") if file.endswith(".gz") else path.open() as found:
        return found.read().split("\n")


def key(term: str) -> str:
    """A term of a dump as hydra-kg writes it; a literal by what it says."""
    if term.startswith('"'):
        return literal_text(term)
    term = term.strip("<>")
    return next((term.removeprefix(s) for s in _SPACES if term.startswith(s)), term)


def triple(locator: Locator) -> tuple[str, str, str]:
    """Subject, predicate and object of the line that a locator names."""
    found = _TRIPLE.fullmatch(lines(locator.file)[locator.line - 1])
    assert found, (locator, lines(locator.file)[locator.line - 1])
    return key(found[1]), key(found[2]), key(found[3])


def holds(fact: Fact, reverse: dict[str, str]) -> bool:
    """Whether the cited line states the fact, perhaps by the reverse property (``reverse``: key → its reverse)."""
    s, p, o = triple(fact.locator)
    subject, value = fact.subject, literal_text(fact.object)
    return (s, p, o) == (subject, fact.predicate, value) or (
        (s, o) == (value, subject) and p == reverse.get(fact.predicate)
    )


def passage(locator: Locator) -> dict[str, Any]:
    """The passage that a locator names."""
    row: dict[str, Any] = json.loads(lines(locator.file)[locator.line - 1])
    return row

"""Gold SPARQL of the sets: the relations of a query, and the query in a form that a strict engine runs."""

from __future__ import annotations

import re
from typing import Final

FREEBASE: Final = "http://rdf.freebase.com/ns/"
WIKIDATA: Final = "http://www.wikidata.org/"
DATE_TIME: Final = "urn:hydra-kg:dateTime"
"""The cast that queries call ``xsd:dateTime`` or ``xsd:datetime``; here it takes years and dates as well."""

PREFIXES: Final = {
    "ns": FREEBASE,
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
    "wd": f"{WIKIDATA}entity/",
    "wdt": f"{WIKIDATA}prop/direct/",
    "p": f"{WIKIDATA}prop/",
    "ps": f"{WIKIDATA}prop/statement/",
    "pq": f"{WIKIDATA}prop/qualifier/",
}

_LABELS = re.compile(r"SERVICE\s+wikibase:label\s*\{[^{}]*\}", re.IGNORECASE)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_TOKEN = re.compile(
    r"<[^<>\s]*>|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?P<cast>xsd:date[tT]ime(?=\s*\())"
    r"|(?<![\w:?$])(?P<prefix>\w*):(?P<name>[\w-]+(?:\.[\w-]+)*)|(?<![\w:?$])(?P<word>(?i:SERVICE)|OR|AND)\b"
)
_COMMENT = re.compile(r"(?m)#[^>\n]*$")
_PREFIX_LINE = re.compile(r"PREFIX\s+\S*\s*<[^>]*>", re.IGNORECASE)
# Freebase relations have three parts or more; ``:theater.play`` is a type and ``:m.042f1`` an entity. What type a
# thing has is no hop.
_FREEBASE = re.compile(
    rf"(?:<{re.escape(FREEBASE)}|(?<![\w/])(?:ns)?:)"
    r"((?!(?:[mg]\.|type\.object\.type\b))[a-z]\w*(?:\.\w+){2,})"
)
# p:P39/ps:P39 is one relation: the step to the statement node is not counted.
_WIKIDATA = re.compile(r"(?:prop/(?:direct|statement|qualifier)/|\b(?:wdt|ps|pq):)(P[1-9]\d*)")


def relations_of(query: str) -> tuple[str, ...]:
    """Return the relations of a gold query in order, with repetitions, as counted in HydraRAG Fig. 6 and PoG Fig. 5."""
    body = _QUOTED.sub('""', _PREFIX_LINE.sub("", _COMMENT.sub("", query)))
    return (*_FREEBASE.findall(body), *_WIKIDATA.findall(body))


def runnable(query: str) -> str:
    """Return the query in a form that a strict engine runs.

    ``||`` and ``&&`` replace Virtuoso's words, :data:`DATE_TIME` replaces casts, Freebase names become full IRIs, and
    the label service is removed. Raises ValueError for ``SERVICE``, because queries come from files.
    """
    text = _LABELS.sub("", _COMMENT.sub("", query))
    prefixes = {"ns", *re.findall(rf"PREFIX\s+(\w*):\s*<{re.escape(FREEBASE)}>", text, re.IGNORECASE)}

    def strict(match: re.Match[str]) -> str:
        prefix, name, word, cast = match.group("prefix", "name", "word", "cast")
        if prefix is not None and name and prefix in prefixes:
            return f"<{FREEBASE}{name}>"
        if cast:
            return f"<{DATE_TIME}>"
        if word and word.upper() == "SERVICE":
            raise ValueError("the query calls another server")
        return {"OR": "||", "AND": "&&"}.get(word or "", match[0])

    return _TOKEN.sub(strict, text)

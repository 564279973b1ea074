"""Name things and relations in RDF by labels of known vocabularies, or else by the words of their IRIs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

from hydra_kg import ids
from hydra_kg.ingest.contract.work import Work
from hydra_kg.phrases import relation_text
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.terms import FREEBASE, property_label

SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
_RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
_FOAF: Final = "http://xmlns.com/foaf/0.1/"
_VCARD: Final = "http://www.w3.org/2006/vcard/ns#"
_GEONAMES: Final = "http://www.geonames.org/ontology#"
_OBO: Final = "http://www.geneontology.org/formats/oboInOwl#"
_TERMS: Final = "http://purl.org/dc/terms/"
_SCHEMAS: Final = ("http://schema.org/", "https://schema.org/")
_DUBLIN: Final = (_TERMS, "http://purl.org/dc/elements/1.1/")

NAMES: Final[Mapping[str, str]] = {
    _RDFS + "label": "name",
    SKOS + "prefLabel": "name",
    FREEBASE + "type.object.name": "name",
    _FOAF + "name": "name",
    _VCARD + "fn": "name",
    _GEONAMES + "name": "name",
    **{space + word: "name" for space in _SCHEMAS for word in ("name", "headline")},
    **{space + "title": "name" for space in _DUBLIN},
    SKOS + "altLabel": "alias",
    FREEBASE + "common.topic.alias": "alias",
    _FOAF + "nick": "alias",
    _VCARD + "nickname": "alias",
    _GEONAMES + "alternateName": "alias",
    _GEONAMES + "officialName": "alias",
    _OBO + "hasExactSynonym": "alias",
    _TERMS + "alternative": "alias",
    **{space + word: "alias" for space in _SCHEMAS for word in ("alternateName", "legalName")},
    _RDFS + "comment": "description",
    SKOS + "definition": "description",
    FREEBASE + "common.topic.description": "description",
    _TERMS + "abstract": "description",
    "http://dbpedia.org/ontology/abstract": "description",
    "http://purl.obolibrary.org/obo/IAO_0000115": "description",
    **{space + "description": "description" for space in (*_SCHEMAS, *_DUBLIN)},
}
"""Predicates whose literals are names or descriptions. Aliases and descriptions are also facts."""

_WORDS: Final = {
    SKOS + "altLabel": "alternative label",
    SKOS + "prefLabel": "preferred label",
    "http://purl.obolibrary.org/obo/IAO_0000115": "definition",
}
_SEPARATORS: Final = re.compile(r"[/#:]+")
_LOCAL: Final = re.compile(
    r"[a-z][a-z0-9+.-]*:(?://[^/#]+[/#](?:.*[/#:])?|(?!//)(?:.*[/#:])?)([^/#:?=&@]+)[/#]*", re.IGNORECASE
)
_FILE: Final = re.compile(r"\.[a-z]{2,4}\d?\Z", re.IGNORECASE)
_CODE: Final = re.compile(r"[A-Za-z]{0,3}[-_.]?\d[\w.-]*|[0-9a-f-]{8,}|(?=\w*\d)\w{16,}", re.IGNORECASE)
_CAPITALS: Final = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-ÿ])|(?<=[a-z]{3})(?=\d)")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_LONGEST: Final = 100
_MOST: Final = 50_000


def name_predicates(work: Work, keys: Sequence[str]) -> dict[str, str]:
    """Return the words of each predicate: its label in the file, else those of its vocabulary or of its IRI."""
    rows = work.db.execute(
        "SELECT coalesce(st, ''), s, ot FROM stated WHERE kind = 'name' ORDER BY lang <> '', lang, line DESC"
    ).fetchall()
    labels = {st or ids.decode(s): text for st, s, text in rows}
    return {key: labels.get(key) or _WORDS.get(key) or property_label(key) or _predicate_words(key) for key in keys}


def _predicate_words(key: str) -> str:
    if key.startswith(FREEBASE):
        return relation_text(key.removeprefix(FREEBASE))
    if ":" not in key:
        return key
    tail = next((part for part in reversed(_SEPARATORS.split(key)) if part), key)
    return " ".join(re.sub(r"[._]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tail).lower()).split()) or key


def name_nodes(work: Work, blank: str) -> None:
    """Fill ``local_name`` (node, kind, text, line) from IRIs of unlabelled things, without ``blank`` nodes."""
    work.db.execute("CREATE TABLE local_name (node BIGINT, kind VARCHAR, text VARCHAR, line UBIGINT)")
    found = work.db.execute(
        "SELECT id, min(text), min(line) FROM (SELECT s AS id, st AS text, line FROM stated WHERE st IS NOT NULL"
        " UNION ALL SELECT o, ot, line FROM stated WHERE kind = 'link' AND ot IS NOT NULL)"
        f" WHERE NOT starts_with(text, {sql_text(blank)}) AND NOT starts_with(text, 'http://www.w3.org/')"
        " AND id NOT IN (SELECT s FROM stated WHERE kind = 'name') AND text NOT IN (SELECT p FROM pid)"
        " GROUP BY id ORDER BY id"
    )
    rows = []
    for number, key, line in found.fetchall():
        rows += [(number, kind, text, line) for kind, text in _names_of(key)]
    for start in range(0, len(rows), _MOST):
        work.insert("local_name", rows[start : start + _MOST], ("BIGINT", "VARCHAR", "VARCHAR", "UBIGINT"))


def _names_of(iri: str) -> Iterator[tuple[str, Any]]:
    words = local_name(iri)
    if words:
        yield "name", words
        if (raw := unquote(_SEPARATORS.split(iri.rstrip("/#"))[-1])) != words:
            yield "alias", raw


def local_name(iri: str) -> str:
    """Return an IRI's last part in words (``InesHolt``, ``north_dock`` → ``Ines Holt``, ``north dock``), or ""."""
    match = _LOCAL.fullmatch(iri)
    if match is None:
        return ""
    local = unquote(match[1])
    if len(local) > _LONGEST or _CODE.fullmatch(local) or _FILE.search(local) or not local.isprintable():
        return ""
    text = local.replace("_", " ").replace("+", " ")
    if text == local and local.islower():
        text = _HYPHEN.sub(" ", text)
    text = " ".join(_CAPITALS.sub(" ", text).split())
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    return text if letters >= 2 and letters >= digits else ""

"""Claims in the normal form of MultiRAG (Definition 1) as JSON-LD: D̂ = {id, d, name, jsc, meta, (cols_index)}."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from hydra_kg.domain import Fact, LoadInfo, Source
from hydra_kg.fusion.gathering.store_claims import ClaimStatement
from hydra_kg.text.literals import is_literal, literal_parts

_OURS: Final = "urn:hydra-kg:"
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_COLUMN: Final = re.compile(r"column (.+)", re.DOTALL)
_SAFE_IRI: Final = re.compile(r"[a-z][a-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`\ud800-\udfff]+", re.IGNORECASE)

CONTEXT: Final[Mapping[str, Any]] = {
    "@version": 1.1,
    "xsd": _XSD,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dcterms": "http://purl.org/dc/terms/",
    "hydra": f"{_OURS}ns:",
    "Source": "hydra:Source",
    "Claim": "rdf:Statement",
    "domain": "hydra:domain",
    "name": "dcterms:title",
    "meta": "hydra:meta",
    "licence": "dcterms:license",
    "version": "hydra:version",
    "checksum": "hydra:checksum",
    "origin": "hydra:origin",
    "url": "hydra:url",
    "load": "hydra:load",
    "columns": "hydra:columns",
    "column": "hydra:column",
    "claims": {"@id": "hydra:claims", "@type": "xsd:integer"},
    "subject": {"@id": "rdf:subject", "@type": "@id"},
    "predicate": {"@id": "rdf:predicate", "@type": "@id"},
    "object": "rdf:object",
    "source": {"@id": "dcterms:source", "@type": "@id"},
    "file": "hydra:file",
    "row": {"@id": "hydra:row", "@type": "xsd:integer"},
    "place": "hydra:place",
    "start": {"@id": "hydra:start", "@type": "xsd:integer"},
    "end": {"@id": "hydra:end", "@type": "xsd:integer"},
    "qualifiers": "hydra:qualifier",
    "value": "rdf:value",
}
"""Every term that the document uses, so that reading it fetches nothing."""


def document(stated: Iterable[ClaimStatement], loads: Sequence[LoadInfo]) -> Iterator[str]:
    """Yield the document in pieces: a node for each claim (jsc), then one for each source.

    The node of a source has its metadata and column index.
    """
    yield '{"@context": ' + json.dumps(CONTEXT) + ',\n"@graph": ['
    columns: dict[str, dict[tuple[str, str], int]] = {}
    separator = "\n"
    for s in stated:
        own = columns.setdefault(s.fact.source.name, {})
        if (m := _COLUMN.search(s.fact.locator.page)) is not None:
            own[m[1], s.fact.predicate] = own.get((m[1], s.fact.predicate), 0) + 1
        yield separator + json.dumps(claim_node(s.fact), ensure_ascii=False)
        separator = ",\n"
    for load in loads:
        for source in load.sources:
            yield separator + json.dumps(
                _source_node(source, load.name, columns.get(source.name, {})), ensure_ascii=False
            )
            separator = ",\n"
    yield "\n]}\n"


def claim_node(fact: Fact) -> dict[str, Any]:
    """Return the node of one claim, with its source and its place there."""
    at = fact.locator
    node: dict[str, Any] = {
        "@id": f"{_OURS}fact:{fact.id:015x}",
        "@type": "Claim",
        "subject": iri(fact.subject),
        "predicate": iri(fact.predicate),
        "object": _end(fact.object),
        "source": source_iri(fact.source.name),
    }
    for name, value in (("file", at.file), ("place", at.page), ("url", at.url)):
        if value:
            node[name] = _clean(value)
    for name, number in (("row", at.line or -1), ("start", at.start), ("end", at.end)):
        if number >= 0:
            node[name] = number
    if fact.qualifiers:
        node["qualifiers"] = [{"predicate": iri(key), "value": _end(value)} for key, value in fact.qualifiers]
    return node


def iri(key: str) -> str:
    """Return a key as an IRI.

    Freebase and Wikidata ids get their own namespaces, IRIs stay, and any other key gets an IRI of ours.
    """
    if re.fullmatch(r"Q[1-9][0-9]*", key):
        return f"http://www.wikidata.org/entity/{key}"
    if re.fullmatch(r"P[1-9][0-9]*", key):
        return f"http://www.wikidata.org/prop/direct/{key}"
    if re.fullmatch(r"[mg]\.[0-9a-z_]+|[a-z0-9_]+(\.[a-z0-9_]+){2,}", key):
        return f"http://rdf.freebase.com/ns/{key}"
    if "://" in key and _SAFE_IRI.fullmatch(key):
        return key
    return f"{_OURS}term:{quote(_clean(key), safe='')}"


def source_iri(name: str) -> str:
    """Return the IRI of a source."""
    return f"{_OURS}source:{quote(_clean(name), safe='')}"


def _source_node(source: Source, load: str, columns: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    """Return the JSON-LD node of a source."""
    meta = {k: getattr(source, k) for k in ("licence", "version", "checksum", "origin", "url") if getattr(source, k)}
    node: dict[str, Any] = {
        "@id": source_iri(source.name),
        "@type": "Source",
        "domain": source.kind,
        "name": _clean(source.name),
        "meta": {"load": load, **{k: _clean(v) for k, v in meta.items()}},
    }
    if columns:
        node["columns"] = [
            {"column": _clean(name), "predicate": iri(key), "claims": n} for (name, key), n in sorted(columns.items())
        ]
    return node


def _end(key: str) -> dict[str, str]:
    """Return the JSON-LD form of an object: an IRI or a literal."""
    if not is_literal(key):
        return {"@id": iri(key)}
    text, language, datatype = literal_parts(key)
    node = {"@value": _clean(text)}
    if language:
        node["@language"] = language
    elif datatype:
        kind = datatype.replace("xsd:", _XSD, 1) if datatype.startswith("xsd:") else datatype
        if _SAFE_IRI.fullmatch(kind):
            node["@type"] = kind
    return node


def _clean(text: str) -> str:
    """Return the text with half surrogates, which a file cannot contain, as question marks."""
    return text.encode("utf-8", "replace").decode()

"""Write the explored part of an answer as RDF: a named graph for each source (N-Quads, TriG), or one graph (Turtle)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

import rdflib
from rdflib.namespace import RDFS, XSD

from hydra_kg.export.answer_statements import nodes, safe_text, statements
from hydra_kg.fusion.gathering.jsonld import iri, source_iri
from hydra_kg.text.literals import is_literal, literal_parts

NAMESPACES: Final = {
    "hydra": "urn:hydra-kg:ns:",
    "fb": "http://rdf.freebase.com/ns/",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
}


def dataset(answer: Mapping[str, Any], *, named: bool) -> rdflib.Dataset:
    """Return all statements.

    With ``named``, each is in the graph of its source, and names of things are in the default graph.
    """
    data = rdflib.Dataset(default_union=False)
    bind(data)
    stated = statements(answer)
    default = data.default_graph
    for s in stated:
        graph = data.graph(rdflib.URIRef(source_iri(s.source))) if named and s.source else default
        graph.add((term(s.subject.id), rdflib.URIRef(iri(s.predicate)), term(s.object.id)))
    for node in nodes(stated).values():
        if not is_literal(node.id) and node.name != node.id:
            default.add((term(node.id), RDFS.label, rdflib.Literal(node.name)))
    for s in stated:
        default.add((rdflib.URIRef(iri(s.predicate)), RDFS.label, rdflib.Literal(s.text)))
    return data


def nquads(answer: Mapping[str, Any]) -> str:
    """Return the answer as N-Quads."""
    return "".join(sorted(_serialise(dataset(answer, named=True), "nquads").splitlines(keepends=True)))


def trig(answer: Mapping[str, Any]) -> str:
    """Return the answer as TriG."""
    return _serialise(dataset(answer, named=True), "trig")


def turtle(answer: Mapping[str, Any]) -> str:
    """Return the answer as Turtle, without the sources of its statements."""
    text: str = dataset(answer, named=False).default_graph.serialize(format="turtle")
    return text


def _serialise(data: rdflib.Dataset, form: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # rdflib warns of its own past
        text: str = data.serialize(format=form)
        return text


def term(key: str) -> rdflib.URIRef | rdflib.Literal:
    """Return a key or a literal as an RDF term. No text can break out of the term."""
    if not is_literal(key):
        return rdflib.URIRef(iri(key))
    text, language, datatype = literal_parts(key)
    if language:
        return rdflib.Literal(safe_text(text), lang=language)
    if datatype.startswith("xsd:"):
        return rdflib.Literal(safe_text(text), datatype=XSD[datatype[4:]], normalize=False)
    return rdflib.Literal(safe_text(text), datatype=rdflib.URIRef(iri(datatype)) if datatype else None, normalize=False)


def bind(graph: rdflib.Graph) -> None:
    """Declare short prefixes for the name spaces in the output."""
    for prefix, address in NAMESPACES.items():
        graph.bind(prefix, address)

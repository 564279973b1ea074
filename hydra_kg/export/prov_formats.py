"""Write PROV-JSON (W3C submission of 2013) and PROV-O (W3C recommendation) from the same records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import rdflib
from rdflib.namespace import PROV, RDF, RDFS

from hydra_kg.export.prov import BASE, ProvElement, ProvRelation, records
from hydra_kg.export.rdf import NAMESPACES, bind

_ENDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "wasGeneratedBy": ("wasGeneratedBy", "prov:entity", "prov:activity"),
    "used": ("used", "prov:activity", "prov:entity"),
    "wasAssociatedWith": ("wasAssociatedWith", "prov:activity", "prov:agent"),
    "wasAttributedTo": ("wasAttributedTo", "prov:entity", "prov:agent"),
    "wasDerivedFrom": ("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity"),
    "hadPrimarySource": ("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity"),
    "actedOnBehalfOf": ("actedOnBehalfOf", "prov:delegate", "prov:responsible"),
    "hadMember": ("hadMember", "prov:collection", "prov:entity"),
}
"""For each relation, its name in PROV-JSON and the names of its ends."""

_CLASSES: Final = {"entity": PROV.Entity, "activity": PROV.Activity, "agent": PROV.Agent}
_OWN: Final = {"label": "prov:label", "value": "prov:value"}
_XSD: Final = {str: "xsd:string", int: "xsd:integer", float: "xsd:double"}


def prov_json(answer: Mapping[str, Any]) -> str:
    """Return the answer as PROV-JSON."""
    doc: dict[str, Any] = {"prefix": {"h": BASE, "hydra": NAMESPACES["hydra"]}}
    for i, record in enumerate(records(answer)):
        if isinstance(record, ProvElement):
            own: dict[str, Any] = {}
            for name, value in record.attributes:
                key = _OWN.get(name, f"hydra:{name}")
                own[key] = value if isinstance(value, str) else {"$": str(value), "type": _XSD[type(value)]}
            own["prov:type"] = [{"$": _type(t), "type": "prov:QUALIFIED_NAME"} for t in record.types]
            doc.setdefault(record.kind, {})[f"h:{record.id}"] = own
        else:
            name, first, second = _ENDS[record.relation]
            ends = {first: f"h:{record.subject}", second: f"h:{record.object}"}
            if record.relation == "hadPrimarySource":
                ends["prov:type"] = {"$": "prov:PrimarySource", "type": "prov:QUALIFIED_NAME"}  # type: ignore[assignment]
            doc.setdefault(name, {})[f"_:r{i}"] = ends
    return json.dumps(doc, ensure_ascii=False, indent=2) + "\n"


def prov_graph(answer: Mapping[str, Any]) -> rdflib.Graph:
    """Return the answer as PROV-O, in its unqualified terms."""
    graph = rdflib.Graph()
    bind(graph)
    graph.bind("prov", PROV)
    for record in records(answer):
        if isinstance(record, ProvRelation):
            graph.add((_iri(record.subject), PROV[record.relation], _iri(record.object)))
            if record.relation == "hadPrimarySource":  # which is one, for readers that infer nothing
                graph.add((_iri(record.subject), PROV.wasDerivedFrom, _iri(record.object)))
            continue
        subject = _iri(record.id)
        graph.add((subject, RDF.type, _CLASSES[record.kind]))
        for t in record.types:
            prefix, _, name = _type(t).partition(":")
            graph.add((subject, RDF.type, PROV[name] if prefix == "prov" else rdflib.URIRef(NAMESPACES[prefix] + name)))
        for name, value in record.attributes:
            own = {"label": RDFS.label, "value": PROV.value}
            predicate = own.get(name) or rdflib.URIRef(NAMESPACES["hydra"] + name)
            graph.add((subject, predicate, rdflib.Literal(value)))
    return graph


def prov_turtle(answer: Mapping[str, Any]) -> str:
    """Return the answer as PROV-O in Turtle."""
    return prov_graph(answer).serialize(format="turtle")


def prov_jsonld(answer: Mapping[str, Any]) -> str:
    """Return the answer as PROV-O in JSON-LD with its context inside, so that reading it fetches nothing."""
    context = {"prov": str(PROV), "rdfs": str(RDFS), **NAMESPACES}
    return prov_graph(answer).serialize(format="json-ld", context=context, indent=2) + "\n"


def _type(name: str) -> str:
    return name if ":" in name else f"hydra:{name}"


def _iri(local: str) -> rdflib.URIRef:
    return rdflib.URIRef(BASE + local)

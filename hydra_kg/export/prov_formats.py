"""Describe how an answer came about as records of PROV-DM; write them as PROV-JSON and PROV-O (W3C)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal
from urllib.parse import quote

import rdflib
from rdflib.namespace import PROV, RDF, RDFS

from hydra_kg.export.answer_statements import safe_text, statements
from hydra_kg.export.rdf import NAMESPACES, bind
from hydra_kg.util.fast_dataclass import dataclass

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
BASE: Final = "urn:hydra-kg:"
"""Base of all names; see ``fusion/gathering/jsonld.py``."""

Kind = Literal["entity", "activity", "agent"]
Relation = Literal[
    "wasGeneratedBy",
    "used",
    "wasAssociatedWith",
    "wasAttributedTo",
    "wasDerivedFrom",
    "hadPrimarySource",
    "actedOnBehalfOf",
    "hadMember",
]


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


@dataclass(frozen=True, slots=True)
class ProvElement:
    """An element of PROV-DM.

    Attributes:
        id: local name under :data:`BASE`.
        types: types of ``prov:`` or ours.
        attributes: values by name.
    """

    kind: Kind
    id: str
    types: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str | int | float], ...] = ()


@dataclass(frozen=True, slots=True)
class ProvRelation:
    """A relation of PROV-DM from ``subject`` to ``object``, in the order of its sentence."""

    relation: Relation
    subject: str
    object: str


def records(answer: Mapping[str, Any]) -> list[ProvElement | ProvRelation]:
    """Return everything that PROV can say about an answer (``ask --json`` form), each record once."""
    return list(dict.fromkeys(_records(answer)))


def local(kind: str, name: object) -> str:
    """Return a local name in which only letters, digits and ``_-.~%`` follow the colon."""
    return f"{kind}:{quote(safe_text(name), safe='')}"


def _records(answer: Mapping[str, Any]) -> Iterator[ProvElement | ProvRelation]:
    """Yield the PROV records of an answer: the question, the answer, its agents and facts."""
    key, manifest = answer["id"], answer["manifest"]
    asked, asking, given = local("question", key), local("asking", key), local("answer", key)
    full = answer.get("understood_as")
    yield _element("entity", asked, "Question", value=answer["question"], understood_as=full)
    yield _element("activity", asking, "Asking", strategy=answer["strategy"], settings=manifest.get("settings"))
    yield _element(
        "entity",
        given,
        "Answer",
        value=answer["answer_text"],
        verdict=answer["verdict"],
        confidence=answer["confidence"],
        missing=answer.get("missing"),
    )
    yield ProvRelation("wasGeneratedBy", given, asking)
    yield ProvRelation("used", asking, asked)
    if answer.get("after"):
        before = local("answer", answer["after"])
        yield _element("entity", before, "Answer")
        yield ProvRelation("wasDerivedFrom", asked, before)
    yield from _agents(answer, asking, given)
    for load in manifest.get("loads", ()):
        name = local("load", f"{load['name']}@{load['checksum']}")
        yield _element("entity", name, "Load", "prov:Collection", label=load["name"], facts=load.get("facts"))
        yield ProvRelation("used", asking, name)
    yield from _facts(answer, asking, given)


def _agents(answer: Mapping[str, Any], asking: str, given: str) -> Iterator[ProvElement | ProvRelation]:
    """Yield the records of the program and the model as PROV agents."""
    manifest = answer["manifest"]
    program = local("program", f"hydra-kg-{manifest.get('code', '')}")
    yield _element("agent", program, "prov:SoftwareAgent", label="hydra-kg", version=manifest.get("code"))
    yield ProvRelation("wasAssociatedWith", asking, program)
    yield ProvRelation("wasAttributedTo", given, program)
    if manifest.get("model"):
        model = local("model", manifest["model"])
        yield _element("agent", model, "prov:SoftwareAgent", label=manifest["model"])
        yield ProvRelation("wasAssociatedWith", asking, model)
        yield ProvRelation("actedOnBehalfOf", model, program)


def _facts(answer: Mapping[str, Any], asking: str, given: str) -> Iterator[ProvElement | ProvRelation]:
    """Yield the records of the facts that the answer uses."""
    own = statements({**answer, "explorations": ()})
    for s in own:
        if not s.fact:
            continue
        fact, source = local("fact", s.fact), local("source", s.source)
        said = f"{s.subject.name} — {s.text} → {s.object.name}"
        yield _element("entity", fact, "Fact", label=said, locator=s.place, url=s.url)
        yield _element("entity", source, "Source", label=s.source)
        yield ProvRelation("used", asking, fact)
        yield ProvRelation("wasDerivedFrom", given, fact)
        yield ProvRelation("hadPrimarySource", fact, source)
    for path in answer["paths"]:
        if passage := path.get("passage"):
            text, source = local("passage", passage["id"]), local("source", safe_text(passage["source"]))
            yield _element(
                "entity", text, "Passage", label=passage["title"], locator=passage["locator"], url=passage.get("url")
            )
            yield _element("entity", source, "Source", label=passage["source"])
            yield ProvRelation("used", asking, text)
            yield ProvRelation("wasDerivedFrom", given, text)
            yield ProvRelation("hadPrimarySource", text, source)


def _element(kind: Kind, name: str, *types: str, **attributes: str | float | None) -> ProvElement:
    said = tuple(
        (k, v if isinstance(v, int | float) else safe_text(v)) for k, v in attributes.items() if v not in (None, "")
    )
    return ProvElement(kind, name, types, said)

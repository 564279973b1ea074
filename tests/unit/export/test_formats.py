"""An answer as PROV, RDF, GraphML and CSV: read back by the tools of each standard, with hostile names as text."""

from __future__ import annotations

import csv
import io
import json

import networkx
import prov.model
import pyshacl
import pytest
import rdflib
from rdflib.namespace import PROV, RDF, RDFS

from hydra_kg.export.answer_statements import statements
from hydra_kg.export.formats import FORMATS, export_answer

pytestmark = pytest.mark.filterwarnings("ignore:.*(ConjunctiveGraph|Dataset).* is deprecated:DeprecationWarning")

HOSTILE = '=1+1" <b>&\x00\u202e\ud800> . <urn:x> <urn:y> "'
NODE = f"https://example.org/{HOSTILE}"

SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
[] a sh:NodeShape ;
  sh:targetSubjectsOf prov:wasGeneratedBy, prov:wasDerivedFrom, prov:hadPrimarySource, prov:wasAttributedTo ;
  sh:class prov:Entity ; sh:not [ sh:class prov:Activity ] ;
  sh:property [ sh:path prov:wasGeneratedBy ; sh:class prov:Activity ; sh:maxCount 1 ],
    [ sh:path prov:wasDerivedFrom ; sh:class prov:Entity ], [ sh:path prov:hadPrimarySource ; sh:class prov:Entity ],
    [ sh:path prov:wasAttributedTo ; sh:class prov:Agent ] .
[] a sh:NodeShape ; sh:targetSubjectsOf prov:used, prov:wasAssociatedWith ;
  sh:class prov:Activity ; sh:not [ sh:class prov:Entity ] ;
  sh:property [ sh:path prov:used ; sh:class prov:Entity ; sh:minCount 1 ],
    [ sh:path prov:wasAssociatedWith ; sh:class prov:Agent ] .
"""
"""Domains, ranges and what is disjoint, of the PROV-O terms that are written (https://www.w3.org/TR/prov-o/)."""


def node(key, name=""):
    return {"id": key, "name": name or key}


def hop(subject, predicate, target, *sources, via=None):
    doc = {
        "subject": subject,
        "predicate": predicate,
        "object": target,
        "sources": list(sources),
        "text": predicate,
        "forward": True,
    }
    return doc if via is None else {**doc, "via": via}


def source(name, fact, n=0):
    return {"source": name, "fact": fact, "locator": f"{name}.nt.gz:7", "kind": "kg", **({"n": n} if n else {})}


def answer(name="Clint Eastwood", key="m.0bwh6"):
    who, city, date = node(key, name), node("Q62", "San Francisco"), node('"1930-05-31"^^xsd:date', "1930-05-31")
    born = hop(who, "people.person.place_of_birth", city, source("freebase", "a1", 1), source(name, "b2"))
    lived = hop(
        city,
        "^people.place_lived.location./people.place_lived.person",
        who,
        source("freebase", "c3"),
        via=node("m.0cvt_1"),
    )
    paths = [{"hops": [born], "kept": True}, {"hops": [hop(who, "P569", date, source("wikidata", "d4"))], "kept": True}]
    return {
        "id": "c926a34bb66a",
        "question": f"Where was {name} born?",
        "strategy": "hydra",
        "answer_text": "San Francisco",
        "verdict": "supported",
        "confidence": 0.9143,
        "after": "0123456789ab",
        "paths": paths,
        "explorations": [
            {"paths": [{"hops": [lived], "kept": False}, {"hops": [hop(who, "P1", city)], "kept": False}]}
        ],
        "manifest": {
            "loads": [{"name": name, "checksum": "51ca", "facts": 3}],
            "code": "0.1.0",
            "model": "gpt",
            "settings": "1a",
        },
    }


ANSWERS = [answer(), answer(HOSTILE, NODE)]
both = pytest.mark.parametrize("doc", ANSWERS, ids=["plain", "hostile"])


def stated(graph):
    """Triples with literals by value: whether rdflib rewrites 0.9 as 9e-01 depends on what else this process read."""
    return {(a, b, (c.value, c.datatype) if isinstance(c, rdflib.Literal) else c) for a, b, c in graph}


@both
def test_prov_json_and_prov_o_are_the_same_document(doc):
    first = prov.model.ProvDocument.deserialize(content=export_answer(doc, "prov-json"), format="json")
    graphs = [rdflib.Graph().parse(data=export_answer(doc, "prov-o"), format="turtle")]
    graphs.append(rdflib.Graph().parse(data=export_answer(doc, "prov-jsonld"), format="json-ld"))
    assert stated(graphs[0]) == stated(graphs[1])
    second = prov.model.ProvDocument.deserialize(
        content=export_answer(doc, "prov-o"), format="rdf", rdf_format="turtle"
    )

    def said(document):
        """Elements, and the ends of relations."""
        out = set()
        for r in document.get_records():
            ends = tuple(str(v.uri) for v in r.args if v is not None) if r.is_relation() else (str(r.identifier.uri),)
            out.add((r.get_type().localpart, *ends))
        return out

    assert said(first) == said(second)
    assert len(said(first)) > 20


@both
def test_prov_json_has_the_form_of_its_submission(doc):
    text = json.loads(export_answer(doc, "prov-json"))
    assert text["wasGeneratedBy"]
    for name, records in text.items():
        if name != "prefix":
            assert all(k.partition(":")[0] in {*text["prefix"], "_"} for k in records)
    first = prov.model.ProvDocument.deserialize(content=json.dumps(text), format="json")
    again = prov.model.ProvDocument.deserialize(content=first.serialize(format="json"), format="json")
    assert first == again


@both
def test_prov_o_keeps_to_domains_ranges_and_terms(doc):
    graph = rdflib.Graph().parse(data=export_answer(doc, "prov-o"), format="turtle")
    shapes = rdflib.Graph().parse(data=SHAPES, format="turtle")
    conforms, _, report = pyshacl.validate(graph, shacl_graph=shapes)
    assert conforms, report
    terms = {t for triple in graph for t in triple[1:] if str(t).startswith(str(PROV))}
    assert all(getattr(PROV, str(t).removeprefix(str(PROV))) == t for t in terms)  # rdflib knows every term of PROV-O
    graph.add((rdflib.URIRef("urn:hydra-kg:asking:c926a34bb66a"), RDF.type, PROV.Entity))
    assert not pyshacl.validate(graph, shacl_graph=shapes)[0]


@both
def test_each_source_is_a_graph(doc):
    data = rdflib.Dataset()
    data.parse(data=export_answer(doc, "nquads"), format="nquads")
    trig = rdflib.Dataset()
    trig.parse(data=export_answer(doc, "trig"), format="trig")
    assert set(data.quads()) == set(trig.quads())
    graphs = {str(g.identifier) for g in data.graphs()}
    assert {"urn:hydra-kg:source:freebase", "urn:hydra-kg:source:wikidata"} < graphs
    assert not any(c in g for g in graphs for c in '<> "')
    fb = rdflib.Namespace("http://rdf.freebase.com/ns/")
    freebase = data.graph(rdflib.URIRef("urn:hydra-kg:source:freebase"))
    lived = list(freebase.triples((None, fb["people.place_lived.location"], None)))
    assert [(str(s).rsplit("/", 1)[1], str(o).rsplit("/", 1)[1]) for s, _, o in lived] == [("m.0cvt_1", "Q62")]


@both
def test_turtle_has_every_statement_and_name(doc):
    graph = rdflib.Graph().parse(data=export_answer(doc, "turtle"), format="turtle")
    wd = rdflib.Namespace("http://www.wikidata.org/prop/direct/")
    assert [str(o) for o in graph.objects(None, wd.P569)] == ["1930-05-31"]
    assert len(set(graph.subjects(RDFS.label, None))) >= 3
    assert not any("urn:x" in str(s) for s in graph.subjects() if str(s) == "urn:x")


@both
def test_networkx_reads_the_graphml(doc):
    graph = networkx.parse_graphml(export_answer(doc, "graphml"), force_multigraph=True)
    assert graph.number_of_nodes() == 4
    assert graph.number_of_edges() == len(statements(doc)) == 6
    assert {d["source"] for _, _, d in graph.edges(data=True)} >= {"freebase", "wikidata", ""}
    assert sum(d["kept"] for _, _, d in graph.edges(data=True)) == 3


@both
def test_no_cell_is_a_formula(doc):
    rows = list(csv.DictReader(io.StringIO(export_answer(doc, "csv"))))
    assert len(rows) == 6
    assert not any(cell[:1] in "=+-@\t\r\n" for row in rows for cell in row.values() if cell)
    assert [r["citation"] for r in rows][:2] == ["1", ""]


@pytest.mark.parametrize("form", FORMATS)
def test_an_answer_without_paths_is_written_too(form):
    assert export_answer({**answer(), "paths": [], "explorations": []}, form)

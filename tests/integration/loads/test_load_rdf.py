"""Small RDF in every syntax says the same; what could reach out or blow up is refused before it does."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest
from helpers.samples.loading import Staged, stage_files

from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.contract.loader import find_loader
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore

EX = "http://example.org/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
HEAD = f"@prefix ex: <{EX}> .\n@prefix rdfs: <{RDFS}> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
TURTLE = (
    HEAD
    + """ex:ann rdfs:label "Ann"@en ; ex:bornIn ex:bath ; owl:sameAs <http://www.wikidata.org/entity/Q42> ;
  ex:age "042"^^<http://www.w3.org/2001/XMLSchema#integer> ; ex:motto "Ça va"@fr .
ex:bath rdfs:label "Bath" .
"""
)
TRIPLES = f"""<{EX}ann> <{RDFS}label> "Ann"@en .
<{EX}ann> <{EX}bornIn> <{EX}bath> .
<{EX}ann> <http://www.w3.org/2002/07/owl#sameAs> <http://www.wikidata.org/entity/Q42> .
<{EX}ann> <{EX}age> "042"^^<http://www.w3.org/2001/XMLSchema#integer> .
<{EX}ann> <{EX}motto> "\\u00C7a va"@fr .
<{EX}bath> <{RDFS}label> "Bath" .
"""
XML = f"""<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY ex "{EX}"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="{EX}" xmlns:rdfs="{RDFS}"
 xmlns:owl="http://www.w3.org/2002/07/owl#">
<rdf:Description rdf:about="&ex;ann"><rdfs:label xml:lang="en">Ann</rdfs:label><ex:bornIn rdf:resource="&ex;bath"/>
<owl:sameAs rdf:resource="http://www.wikidata.org/entity/Q42"/><ex:motto xml:lang="fr">Ça va</ex:motto>
<ex:age rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">042</ex:age></rdf:Description>
<rdf:Description rdf:about="&ex;bath"><rdfs:label>Bath</rdfs:label></rdf:Description></rdf:RDF>
"""
JSONLD = f"""{{"@context": {{"ex": "{EX}", "label": "{RDFS}label"}}, "@graph": [
 {{"@id": "ex:ann", "label": {{"@value": "Ann", "@language": "en"}}, "ex:bornIn": {{"@id": "ex:bath"}},
  "http://www.w3.org/2002/07/owl#sameAs": {{"@id": "http://www.wikidata.org/entity/Q42"}},
  "ex:motto": {{"@value": "Ça va", "@language": "fr"}},
  "ex:age": {{"@value": "042", "@type": "http://www.w3.org/2001/XMLSchema#integer"}}}},
 {{"@id": "ex:bath", "label": "Bath"}}]}}
"""


def staged(tmp_path: Path, text: str, name: str) -> Staged:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    head = file.read_bytes()[: 64 << 10]
    assert find_loader(file, head).name == "rdf"
    return stage_files([file], tmp_path / "stage", "rdf")


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.ttl", TURTLE),
        ("a.nt", TRIPLES),
        ("a.nq", TRIPLES.replace(" .\n", f" <{EX}g> .\n")),
        ("a.rdf", XML),
        ("a.jsonld", JSONLD),
        ("a.trig", HEAD + "ex:g {\n" + TURTLE.removeprefix(HEAD) + "}\n"),
    ],
)
def test_every_syntax_says_the_same(tmp_path: Path, name: str, text: str) -> None:
    found = staged(tmp_path, text, name)
    assert [f[:3] for f in found.links] == [(EX + "ann", EX + "bornIn", EX + "bath")]
    assert {f[:3] for f in found.values} == {
        (EX + "ann", EX + "age", '"042"^^xsd:integer'),
        (EX + "ann", EX + "motto", '"Ça va"@fr'),
    }
    assert found.names == {(EX + "ann", "name", "Ann"), (EX + "bath", "name", "Bath")}
    assert [s[:2] for s in found.same_as] == [(EX + "ann", "Q42")]
    assert found.predicates[EX + "bornIn"] == ("born in", "")
    assert (found.balanced(), found.read) == (True, 6)


def test_turtle_and_xml_know_their_lines(tmp_path: Path) -> None:
    assert staged(tmp_path, TURTLE, "a.ttl").links[0][3] == 4
    (tmp_path / "x").mkdir()
    assert staged(tmp_path / "x", XML, "a.rdf").links[0][3] == 5


def test_blank_nodes_are_mediators_with_names_that_stay(tmp_path: Path) -> None:
    text = HEAD + 'ex:a ex:marriage [ ex:spouse ex:b ; ex:since 1999 ] , [ rdfs:label "the second" ] .\n'
    for folder in (tmp_path / "1", tmp_path / "2"):
        folder.mkdir()
        found = staged(folder, text, "a.ttl")
        assert found.mediators == {"rdf:b1"}
        assert ("rdf:b1", EX + "spouse", EX + "b") in found.facts
        assert ("rdf:b2", "name", "the second") in found.names


def test_names_in_other_languages_stay_where_there_is_no_other(tmp_path: Path) -> None:
    text = HEAD + 'ex:a rdfs:label "Cologne"@en, "Köln"@de .\nex:b rdfs:label "Wien"@de ; rdfs:comment "Stadt"@de .\n'
    found = staged(tmp_path, text, "a.ttl")
    assert found.names == {
        (EX + "a", "name", "Cologne"),
        (EX + "b", "name", "Wien"),
        (EX + "b", "description", "Stadt"),
    }
    assert (found.dropped["language"], found.balanced()) == (1, True)


def test_named_graphs_may_be_sources(tmp_path: Path) -> None:
    file = tmp_path / "a.trig"
    file.write_text(HEAD + "ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:a ex:p ex:b } { ex:a ex:q ex:c }\n")
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [file], LoadOptions(rules={"graphs": True}))
        with store.snapshot() as snapshot:
            (node,) = snapshot.lookup([EX + "a"])
            assert node is not None
            cut = snapshot.cut([node], depth=1)
            found = {(f.predicate, f.source.name) for f in snapshot.facts(cut.segment, cut.row)}
            assert found == {(EX + "p", EX + "g1"), (EX + "p", EX + "g2"), (EX + "q", "a")}


def test_lines_that_are_none_are_rejected_alone(tmp_path: Path) -> None:
    text = TRIPLES + "nonsense\n<http://e/a> <http://e/b> <http://e/c d> .\n\n# comment\n"
    found = staged(tmp_path, text, "a.nt")
    assert found.rejects == [(7, "subject", 0), (8, "iri", 26)]
    assert (found.balanced(), found.dropped["blank"]) == (True, 2)
    (tmp_path / "t").mkdir()
    found = staged(tmp_path / "t", HEAD + "ex:a <http://e/x y> ex:b .\nex:a ex:p ex:b .\n", "a.ttl")
    assert [r[:2] for r in found.rejects] == [(4, "iri")]
    assert len(found.links) == 1


HOSTILE = {
    "xxe.rdf": XML.replace(f'"{EX}"> ]', 'SYSTEM "file:///etc/hostname"> ]'),
    "outside.rdf": XML.replace("rdf:RDF [", 'rdf:RDF SYSTEM "http://127.0.0.1:9/x.dtd" ['),
    "laughs.rdf": XML.replace("> ]", '> <!ENTITY a "&ex;&ex;"> ]'),
    "deep.rdf": XML.replace("<rdf:Description", "<a>" * 5000 + "<rdf:Description", 1),
    "remote.jsonld": '{"@context": "http://127.0.0.1:PORT/context", "@id": "http://e/a"}',
    "inner.jsonld": '{"@context": {"p": {"@id": "http://e/p", "@context": ["http://127.0.0.1:PORT/c"]}}, "p": {}}',
    "import.jsonld": '{"@context": {"@import": "http://127.0.0.1:PORT/c"}}',
    "file.jsonld": '{"@context": "file:///etc/hostname", "@id": "http://e/a"}',
    "deep.jsonld": '{"@id": "http://e/a", "http://e/p": ' + "[" * 50_000 + "]" * 50_000 + "}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_reaches_out_or_blows_up_is_refused(tmp_path: Path, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        called: list[object] = []

        def wait() -> None:
            with listening:
                try:
                    called.append(listening.accept())
                except OSError:
                    return

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        file = tmp_path / name
        file.write_text(HOSTILE[name].replace("PORT", str(port)), "utf-8")
        with pytest.raises(FormatError):
            stage_files([file], tmp_path / "stage", "rdf")
        assert not called, "a socket was opened"


def test_deep_nesting_is_read_in_bounded_memory(tmp_path: Path) -> None:
    found = staged(tmp_path, HEAD + "ex:a ex:b " + "( " * 20_000 + ") " * 20_000 + ".\nex:a ex:c ex:d .\n", "a.ttl")
    assert (EX + "a", EX + "c", EX + "d") in found.facts
    assert (found.rejects, found.balanced()) == ([], True)


@pytest.mark.parametrize(
    "end",
    ['ex:a ex:b """never closed', "ex:a ex:b", "ex:a ex:b " + "[ ex:p " * 20_000],
    ids=["string", "dot", "brackets"],
)
def test_a_statement_without_an_end_is_rejected(tmp_path: Path, end: str) -> None:
    found = staged(tmp_path, HEAD + "ex:a ex:p ex:b .\n" + end, "a.ttl")
    assert (EX + "a", EX + "p", EX + "b") in found.facts
    assert [(line, reason) for line, reason, _ in found.rejects] == [(5, "syntax")]
    assert found.balanced()


def test_faulty_statements_are_rejected_alone_in_every_syntax(tmp_path: Path) -> None:
    xml = XML.replace("<rdf:Description", '<rdf:Description rdf:about="x" rdf:ID="1"/>\n<rdf:Description', 1)
    jsonld = JSONLD.replace('{"@id": "ex:bath", "label"', '{"@id": "ex:bad", "@type": 5}, {"@id": "ex:bath", "label"')
    for name, text, line in (
        ("a.ttl", TURTLE + "ex:bad ex:p ex:q ex:r .\nex:bad ex:p .\n", 7),
        ("a.trig", TURTLE + "ex:g { ex:bad ex:p . }\n", 7),
        ("a.rdf", xml, 5),
        ("a.jsonld", jsonld, 0),
    ):
        folder = tmp_path / name.replace(".", "")
        folder.mkdir()
        found = staged(folder, text, name)
        assert (EX + "ann", EX + "bornIn", EX + "bath") in found.facts
        assert found.rejects[0][:2] == (line, "syntax"), name
        assert found.balanced(), name


def test_a_file_said_to_be_rdf_is_read_as_rdf(tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text('{"http://example.org/p": [{"http://example.org/q": 1}]}')
    assert stage_files([file], tmp_path / "json", "rdf").read == 2
    file = tmp_path / "notes.txt"
    file.write_text("# made by hand\nnothing here .\n<http://e/a> <http://e/b> <http://e/c> ; <http://e/d> 1 .\n")
    found = stage_files([file], tmp_path / "text", "rdf")
    assert [f[:3] for f in found.links] == [("http://e/a", "http://e/b", "http://e/c")]
    assert [r[:2] for r in found.rejects] == [(2, "syntax")]


def test_the_context_of_schema_org_is_known_without_a_network(tmp_path: Path) -> None:
    text = """{"@context": ["http://www.schema.org/", {"local": "http://example.org/local"}],
     "@type": "CivicStructure", "name": "Fen Mill", "url": "http://fen.example/", "telephone": "042",
     "containedInPlace": {"@type": "Place", "name": "Fen"}, "local": "yes"}"""
    found = staged(tmp_path, text, "mill.json")
    said = {(p, o) for _, p, o in found.facts}
    assert ("http://schema.org/url", "http://fen.example/") in said
    assert ("http://schema.org/telephone", '"042"') in said
    assert ("http://example.org/local", '"yes"') in said
    assert {name for _, kind, name in found.names if kind == "name"} == {"Fen Mill", "Fen", "Civic Structure", "Place"}


def test_control_characters_of_literals_are_kept_in_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.nt"
    file.write_bytes(b'<http://e/a> <http://e/b> "x\x00\x01y" .\n<http://e/\x00> <http://e/b> "z" .\n')
    found = stage_files([file], tmp_path / "stage", "rdf")
    assert [f[2] for f in found.values] == ['"x\\u0000\\u0001y"']
    assert [r[:2] for r in found.rejects] == [(2, "iri")]


def test_more_than_can_be_read_as_a_whole_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hydra_kg_loaders.rdf.checks.MOST", 100)
    with pytest.raises(FormatError, match="N-Triples or N-Quads"):
        staged(tmp_path, TURTLE, "a.ttl")
    (tmp_path / "t").mkdir()
    assert staged(tmp_path / "t", TRIPLES, "a.nt").balanced(), "lines are streamed whatever their number"


def test_files_of_one_call_are_loads_of_their_own(tmp_path: Path) -> None:
    for name in ("one.ttl", "two.ttl"):
        (tmp_path / name).write_text(TURTLE.replace("Bath", name))
    with EmbeddedStore(tmp_path / "store") as store:
        report = load_files(store, [tmp_path / "one.ttl", tmp_path / "two.ttl"])
        assert [load.name for load in report.loads] == ["one", "two"]

"""The syntax of an RDF file is recognised by its content; its name decides only where the content leaves it open."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg_loaders.rdf.recognition import guess_format, recognise_format

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
A = "<http://e/a> <http://e/p> <http://e/b>"


@pytest.mark.parametrize(
    "name, text, form",
    [
        ("a", "@prefix e: <http://e/> .\ne:a e:p e:b .", "turtle"),
        ("a", "# first\n\n# second\nPREFIX e: <http://e/>\ne:a e:p 1, 2 .", "turtle"),
        ("a", '[] <http://e/name> "Aurora" .', "turtle"),
        ("a", '[ <http://e/name> "Aurora" ] <http://e/p> 5 .', "turtle"),
        ("a", "( 1 2 ) <http://e/p> <http://e/b> .", "turtle"),
        ("a", "<http://e/a>\n  <http://e/p> <http://e/b> ;\n  <http://e/q> 5 .", "turtle"),
        ("a", f"{{ {A} }}", "trig"),
        ("a", f"# port\n<http://e/g> {{ {A} }}", "trig"),
        ("a", f"GRAPH <http://e/g> {{ {A} }}", "trig"),
        ("a", f"_:g {{ {A} }}", "trig"),
        ("a", f"[] {{ {A} }}", "trig"),
        ("a", f"@prefix e: <http://e/> .\ne:a e:p e:b .\ne:g {{ {A} }}", "trig"),
        ("a", f"{A} .\n{A} .\n", "ntriples"),
        ("a", f"# comment\n{A} <http://e/g> .\n", "nquads"),
        ("a", f"<!-- by hand --><rdf:RDF {RDF}/>", "xml"),
        ("a", f'<?xml version="1.0"?>\n<!-- <html> -->\n<r:RDF {RDF.replace("rdf=", "r=")}/>', "xml"),
        ("a", f'<e:Boat {RDF} xmlns:e="http://e/" rdf:about="x"/>', "xml"),
        ("a.rdf", '<Boat xmlns="http://e/"><name>Aurora</name></Boat>', "xml"),
        ("a", '{"@context": {}, "@id": "http://e/a"}', "json-ld"),
        ("a", '[{"http://e/name": [{"@value": "Aurora"}]}]', "json-ld"),
        ("a", '{"http://e/name": "Aurora"}', "json-ld"),
        ("a.jsonld", '{"name": "Aurora"}', "json-ld"),
        ("a.nt", "# only a comment\n", "ntriples"),
        ("a.ttl.gz", "\n", "turtle"),
    ],
)
def test_content_tells_the_syntax(name: str, text: str, form: str) -> None:
    assert recognise_format(text.encode(), Path(name))[0] == form
    assert guess_format(text.encode(), Path(name)) == form


@pytest.mark.parametrize(
    "text",
    [
        "name,city\nAurora,Bath\n",
        "# A heading\n\nSome text about <b>boats</b>.\n",
        "[link](http://e/a) and more text.\n",
        "{| class=wikitable\n|}\n",
        "Note: this is a text.\n",
        '{"name": "Aurora", "city": "Bath"}',
        '[{"name": "Aurora"}, {"name": "Bella"}]',
        "[1, 2, 3]",
        '{"type": "item", "id": "Q42", "labels": {}}',
        "<!DOCTYPE html><html><body>RDF http://www.w3.org/1999/02/22-rdf-syntax-ns#</body></html>",
        '<?xml version="1.0"?><rows><row a="1"/></rows>',
        "<p>One <b>paragraph</b> of HTML.</p>",
        "",
        "\n\n",
    ],
)
def test_other_files_are_left_alone(text: str) -> None:
    assert recognise_format(text.encode(), Path("a"))[1] == 0


@pytest.mark.parametrize(
    "name, text, form",
    [
        ("a.txt", "nothing known", "trig"),
        ("a.json", '{"name": "Aurora"}', "json-ld"),
        ("a.xml", '<Boat xmlns="http://e/"/>', "xml"),
        ("a.nq", "nothing known", "nquads"),
    ],
)
def test_what_is_said_to_be_rdf_has_a_likely_syntax(name: str, text: str, form: str) -> None:
    assert guess_format(text.encode(), Path(name)) == form


def test_xml_without_a_declaration_is_no_turtle(tmp_path: Path) -> None:
    rows = b"<rows><row><name>Tower 0</name><height>100</height></row></rows>"
    assert recognise_format(rows, tmp_path / "towers.xml") == ("", 0.0)
    assert recognise_format(b"<rows> <row> <name> .", tmp_path / "towers")[0] in {"turtle", "ntriples"}

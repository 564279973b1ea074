"""Every statement has its line, and a faulty one costs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hydra_kg.errors import FormatError
from hydra_kg_loaders.rdf.parse import StatementWriter, parse

HEAD = "@prefix a: <http://a/> .\n"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"'


def read(form: str, text: str | bytes) -> tuple[list[Sequence[Any]], list[tuple[int, str]]]:
    """Return statements (line, last part of subject, of predicate, of object) and rejects (line, reason)."""
    found: list[list[Any]] = []
    data = text.encode() if isinstance(text, str) else text
    parse(form, data, "http://base/", "file", StatementWriter(found.append))
    statements = [(m[0], *(t.rstrip(">").rpartition("/")[2] for t in m[1:4])) for m in found if m[0] != "reject"]
    return statements, [(m[1], m[2]) for m in found if m[0] == "reject"]


def test_lines_are_those_of_the_objects() -> None:
    text = HEAD + 'a:s a:p\n  a:o ;\n\n  a:q 1 ,\n  """two\nlines""" ;\n  a:r [ a:t\n   a:u ] .\n'
    statements, rejects = read("turtle", text)
    assert [(s[0], s[2]) for s in statements if s[1] == "s"] == [(3, "p"), (5, "q"), (7, "q"), (9, "r")]
    assert not rejects


def test_lines_of_xml() -> None:
    text = f'<rdf:RDF {RDF}>\n<e:B rdf:about="x">\n<e:p>1</e:p>\n\n<e:q>2</e:q></e:B>\n</rdf:RDF>'
    assert [(s[0], s[2]) for s in read("xml", text)[0]] == [(2, "22-rdf-syntax-ns#type"), (3, "p"), (5, "q")]


@pytest.mark.parametrize(
    "fault, reason",
    [
        ("a:x zz:p a:q .", "syntax"),
        ("a:x a:p <not an iri> .", "iri"),
        ('a:x a:p "not closed .', "syntax"),
        ('a:x a:p "escape \\z" .', "syntax"),
        ('a:x a:p "tag"@ .', "syntax"),
        ('a:x a:p "dot. inside" a:q "second; . one" .', "syntax"),
        ("a:x a:p [ a:q 1 .", "syntax"),
        ("a:x a:p ( 1 2 .", "syntax"),
        ("a:x a:p a:y ] .", "syntax"),
        ("@prefix b: <b .", "syntax"),
        ("a:x .", "syntax"),
        ('"subject" a:p a:y .', "syntax"),
        ("words of no language", "syntax"),
    ],
)
def test_reading_goes_on_after_a_fault(fault: str, reason: str) -> None:
    text = HEAD + "a:before a:p 1 .\n" + fault + "\na:after a:p 2 .\na:last a:p 3 .\n"
    statements, rejects = read("turtle", text)
    assert rejects in ([(3, reason)], [(4, reason)])
    assert [(s[0], s[1]) for s in statements if s[1] in {"before", "last"}] == [(2, "before"), (5, "last")]


def test_the_other_predicates_of_a_subject_are_kept() -> None:
    statements, rejects = read("turtle", HEAD + "a:s a:p <x y> ; a:q 1 ;\n a:r 2 .\na:t a:p 3 .\n")
    assert [s[:3] for s in statements] == [(2, "s", "q"), (3, "s", "r"), (4, "t", "p")]
    assert rejects == [(2, "iri")]


def test_a_missing_dot_costs_no_statement() -> None:
    statements, rejects = read("turtle", HEAD + "a:s a:p 1\na:t a:p 2 .\n")
    assert ([s[:2] for s in statements], len(rejects)) == ([(2, "s"), (3, "t")], 1)


def test_a_fault_in_a_graph_leaves_the_rest_in_that_graph() -> None:
    found: list[list[Any]] = []
    text = HEAD + "a:g { a:s a:p <x y> . a:t a:p 1 . }\na:u a:p 2 .\n"
    parse("trig", text.encode(), "http://base/", "file", StatementWriter(found.append))
    assert [(m[1], m[4]) for m in found if m[0] != "reject"] == [("<http://a/t>", "<http://a/g>"), ("<http://a/u>", "")]


def test_bytes_that_are_no_utf8_are_one_fault() -> None:
    statements, rejects = read("turtle", HEAD.encode() + b'a:s a:p "caf\xe9" .\na:t a:p 1 .\n')
    assert ([s[:2] for s in statements], [r[0] for r in rejects]) == ([(3, "t")], [2])


def test_an_element_of_xml_is_rejected_alone() -> None:
    text = (
        f'<rdf:RDF {RDF}>\n<e:B rdf:about="x"><e:p>1</e:p></e:B><rdf:li/>\n'
        '<e:B rdf:about="y"><e:p rdf:resource="a b"/></e:B><e:B rdf:about="z"><e:p>&gt; ></e:p></e:B>\n</rdf:RDF>'
    )
    statements, rejects = read("xml", text)
    assert [s[:2] for s in statements if s[2] == "p"] == [(2, "x"), (3, "z")]
    assert rejects == [(2, "syntax"), (3, "iri")]


def test_xml_in_other_encodings() -> None:
    text = f'<?xml version="1.0" encoding="{{}}"?>\n<e:B {RDF} rdf:about="x"><e:p>café</e:p></e:B>'
    for encoding in ("iso-8859-1", "utf-16", "utf-8-sig"):
        declared = text.format(encoding.removesuffix("-sig"))
        assert [s[3] for s in read("xml", declared.encode(encoding))[0] if s[2] == "p"] == ['"café"']


def test_items_of_json_are_rejected_alone() -> None:
    items = (
        '{"@id": "http://e/a", "http://e/p": 1}, {"@id": "http://e/b", "@type": 5}, {"@id": "http://e/c", "@type": "T"}'
    )
    for text in (f"[{items}]", f'{{"@context": {{"T": "http://e/T"}}, "@graph": [{items}]}}'):
        statements, rejects = read("json-ld", text)
        assert statements[0][1] == "a"
        assert [s[0] for s in rejects] == [0]
    assert [s[1] for s in statements] == ["a", "c"]
    with pytest.raises(FormatError, match="JSON-LD"):
        read("json-ld", '{"@id": "http://e/a", "@type": 5}')


def test_numbers_keep_their_characters() -> None:
    found: list[list[Any]] = []
    parse(
        "turtle",
        (HEAD + "a:s a:p +1, 01, 1.0, 1e0, true .").encode(),
        "http://b/",
        "file",
        StatementWriter(found.append),
    )
    assert [m[3].partition("^^")[0] for m in found] == ['"+1"', '"01"', '"1.0"', '"1e0"', '"true"']

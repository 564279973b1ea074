"""Literals as people read them: text without escapes, dates without midnight, numbers without a plus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.text.literals import is_literal, literal_kind, literal_text

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    "key, text, kind",
    [
        ('"1961-08-04"^^xsd:date', "1961-08-04", "date"),
        (f'"1961-08-04"^^<{XSD}date>', "1961-08-04", "date"),
        ('"1955-02-24T00:00:00Z"^^xsd:dateTime', "1955-02-24", "date"),
        ('"1955-02-24T12:30:00Z"^^xsd:dateTime', "1955-02-24T12:30:00Z", "date"),
        ('"-0044-03-15"^^xsd:date', "-0044-03-15", "date"),
        ('"1999"^^xsd:gYear', "1999", "date"),
        ('"1999-05"^^xsd:gYearMonth', "1999-05", "date"),
        ('"42"^^xsd:integer', "42", "number"),
        ('"+1.83"^^xsd:decimal', "1.83", "number"),
        ('"-40"^^xsd:decimal', "-40", "number"),
        ('"1e9"^^xsd:double', "1e9", "number"),
        ('"+351"', "+351", "text"),
        ('"hello"', "hello", "text"),
        ('"été"@fr', "été", "text"),
        ('"colour"@en-GB', "colour", "text"),
        ('"+1"@en', "+1", "text"),
        ('"POINT(1 2)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>', "POINT(1 2)", "text"),
        ('"true"^^xsd:boolean', "true", "text"),
        ('""', "", "text"),
        (r'"a \"b\" \\ c"', 'a "b" \\ c', "text"),
        (r'"line\nbreak\ttab"', "line\nbreak\ttab", "text"),
        (r'"\u00e9\U0001F986"', "é🦆", "text"),
        (r'"\\u00e9"', r"\u00e9", "text"),
        (r'"\ud800"', "\ufffd", "text"),
        (r'"\UFFFFFFFF"', "\ufffd", "text"),
    ],
)
def test_what_a_literal_says(key, text, kind):
    assert literal_text(key) == text
    assert literal_kind(key) == kind
    assert is_literal(key)


@pytest.mark.parametrize("key", ["m.042f1", "Q42", "https://example.org/x", "", "plain", "'single'"])
def test_what_is_no_literal_stays_as_it_is(key):
    assert not is_literal(key)
    assert literal_text(key) == key
    assert literal_kind(key) == ""


@pytest.mark.parametrize("key", ['"', '"open', '"a"b', '"a\\"', '"a"^^', '"a"@', '"a" .'])
def test_a_broken_literal_is_shown_as_it_stands(key):
    assert literal_text(key) == key
    assert literal_kind(key) == ""


def escaped(text: str, *, wide: bool) -> str:
    """As an N-Triples writer escapes; ``wide`` writes everything beyond ASCII as numbers."""
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "".join(short.get(c) or (f"\\U{ord(c):08X}" if wide and not c.isascii() else c) for c in text)


@given(text=st.text(st.characters(exclude_categories=["Cs"])), wide=st.booleans(), tail=st.sampled_from(["", "@en"]))
def test_escaping_is_undone(text, wide, tail):
    assert literal_text(f'"{escaped(text, wide=wide)}"{tail}') == text.removesuffix("T00:00:00Z")


@given(st.text())
def test_any_text_is_legal(text):
    for key in (text, f'"{text}', f'"{text}"', f'"{text}"^^xsd:integer'):
        assert isinstance(literal_text(key), str)
        assert literal_kind(key) in {"date", "number", "text", ""}

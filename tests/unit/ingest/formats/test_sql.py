"""Ids and checks in SQL: the same numbers and verdicts as the Python that defines them, for any term."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg import ids
from hydra_kg.ingest.formats import sql
from hydra_kg.ingest.formats.ntriples import LineError, parse_line
from hydra_kg.text.quoting import sql_text

SPACE = "http://rdf.freebase.com/ns/"
DIGITS = "0123456789bcdfghjklmnpqrstvwxyz_"

machine_keys = st.one_of(
    st.text(DIGITS, min_size=0, max_size=14).map(lambda t: f"m.0{t}"),
    st.text(DIGITS, min_size=0, max_size=14).map(lambda t: f"g.{t}"),
    st.text("0123abez_.A é", max_size=8).map(lambda t: f"m.{t}"),
)
wikidata_keys = st.one_of(
    st.integers(0, 10**19).map(lambda n: f"Q{n}"), st.integers(0, 10**5).map(lambda n: f"P{n:03}"), st.text(max_size=4)
)
value_keys = st.one_of(
    st.integers(-(2**61), 2**61).map(lambda n: f'"{n}"^^xsd:integer'),
    st.text("0123456789-+", max_size=5).map(lambda t: f'"{t}"^^xsd:integer'),
    st.integers(0, 99999).map(lambda n: f'"{n:04}"^^xsd:gYear'),
    st.dates().map(lambda d: f'"{d}"^^xsd:date'),
    st.tuples(st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32)).map(
        lambda d: f'"{d[0]:04}-{d[1]:02}-{d[2]:02}"^^xsd:date'
    ),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12).map(lambda t: f'"{t}"'),
    st.sampled_from(["people.person", "https://example.org/é", '"0000"^^xsd:gYear', '"0000-01-01"^^xsd:date']),
)


@pytest.fixture(scope="module")
def db() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for expressions."""
    with duckdb.connect() as connection:
        yield connection


def column(db: duckdb.DuckDBPyConnection, expression: str, values: list[str]) -> list[object]:
    """An expression over ``k`` for each value."""
    rows = db.execute(f"SELECT {expression} FROM (SELECT unnest($1::VARCHAR[]) AS k)", [values]).fetchall()
    return [row[0] for row in rows]


@given(st.lists(machine_keys, min_size=1, max_size=50))
def test_machine_ids(db: duckdb.DuckDBPyConnection, keys: list[str]) -> None:
    digits = f"({sql.machine_digits('k', SPACE)})"
    number = sql.machine_id(digits, f"starts_with(k, '<{SPACE}m')")
    found = column(db, f"CASE WHEN {sql.is_machine(digits)} THEN {number} END", [f"<{SPACE}{k}>" for k in keys])
    assert found == [i if (i := ids.encode(k)) & 7 in {ids.MID, ids.GID} else None for k in keys]


@given(st.lists(wikidata_keys, min_size=1, max_size=50))
def test_wikidata_ids(db: duckdb.DuckDBPyConnection, keys: list[str]) -> None:
    keys = [k.replace("\0", "") for k in keys]
    found = column(db, f"CASE WHEN {sql.is_wikidata('k')} THEN {sql.wikidata_id('k')} END", keys)
    assert found == [i if (i := ids.encode(k)) & 7 in {ids.QID, ids.PID} else None for k in keys]


@given(st.lists(value_keys, min_size=1, max_size=50))
def test_ids_of_values(db: duckdb.DuckDBPyConnection, keys: list[str]) -> None:
    assert column(db, sql.value_id("k"), keys) == [ids.encode(k) for k in keys]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=9), min_size=1))
def test_quoted_text_is_text(db: duckdb.DuckDBPyConnection, texts: list[str]) -> None:
    for text in texts:
        assert db.execute(f"SELECT {sql_text(text)}").fetchall() == [(text,)]


literals = st.one_of(
    st.text('ab"\\ut@^<>é\t\n0D8', max_size=10).map(lambda t: f'"{t}"'),
    st.text('ab"\\ut@^<>é\t\n0D8', max_size=10).map(lambda t: f'"{t}"@en'),
    st.text("0123456789abcdefABCDEF", min_size=3, max_size=8).map(lambda t: f'"\\u{t}"'),
    st.text("01DdFf8", min_size=7, max_size=8).map(lambda t: f'"\\U{t}"'),
    st.text('ab:<> "{}|^`\\/#é', max_size=8).map(lambda t: f'"x"^^<http://{t}>'),
)


@given(st.lists(literals, min_size=1, max_size=30))
def test_a_literal_that_is_clean_at_a_glance_is_legal(db: duckdb.DuckDBPyConnection, found: list[str]) -> None:
    for literal, clean in zip(found, column(db, sql.is_literal("k"), found), strict=True):
        try:
            triple = parse_line(f"<http://a>\t<http://b>\t{literal}\t.")
        except LineError:
            triple = None
        legal = triple is not None and triple.object == literal
        assert not clean or legal
        if legal and triple is not None and not triple.repaired:
            assert clean


@given(st.lists(st.text('abc:/<> "{}|^`\\#é.', max_size=8), min_size=1, max_size=30))
def test_an_iri_that_is_clean_at_a_glance_is_legal(db: duckdb.DuckDBPyConnection, found: list[str]) -> None:
    iris = [f"<{text}>" for text in found]
    for iri, clean in zip(iris, column(db, sql.is_iri("k"), iris), strict=True):
        try:
            triple = parse_line(f"{iri}\t<http://b>\t<http://c>\t.")
        except LineError:
            triple = None
        assert clean == (triple is not None and triple.subject == iri)

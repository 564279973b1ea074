"""Snaks of Wikidata as keys: every kind of value, and what is not one."""

from __future__ import annotations

from typing import Any

import pytest

from hydra_kg import ids
from hydra_kg.ingest.formats import sql
from hydra_kg.text.literals import literal_kind, literal_text
from hydra_kg_loaders.wikidata.entities import machine_number, origin
from hydra_kg_loaders.wikidata.loose_statements import snak_of
from hydra_kg_loaders.wikidata.snak_values import NONE, SOME, language_of, quote_text, value_of, wikidata_number

Q = "http://www.wikidata.org/entity/"


def snak(kind: str, value: Any, datatype: str = "") -> dict[str, Any]:
    """A snak as the dump has it."""
    return {"snaktype": "value", "property": "P1", "datatype": datatype, "datavalue": {"type": kind, "value": value}}


def item(key: str) -> dict[str, Any]:
    """A snak of an item."""
    return snak("wikibase-entityid", {"entity-type": "item", "numeric-id": int(key[1:]), "id": key})


def moment(time: str, precision: int, calendar: str = "Q1985727") -> dict[str, Any]:
    """A snak of a time."""
    return snak("time", {"time": time, "precision": precision, "calendarmodel": Q + calendar, "timezone": 0})


def amount(number: str, unit: str = "1", **bounds: str) -> dict[str, Any]:
    """A snak of a quantity."""
    return snak("quantity", {"amount": number, "unit": unit if unit == "1" else Q + unit, **bounds})


@pytest.mark.parametrize(
    "given, key, more",
    [
        (item("Q42"), "Q42", ()),
        (snak("wikibase-entityid", {"entity-type": "property", "numeric-id": 31}), "P31", ()),
        (snak("wikibase-entityid", {"entity-type": "form", "id": "L1-F2"}), f"{Q}L1-F2", ()),
        ({"snaktype": "somevalue"}, SOME, ()),
        ({"snaktype": "novalue"}, NONE, ()),
        (snak("string", 'a\tb\n"c" \\ \x01'), '"a\\tb\\n\\"c\\" \\\\ \\u0001"', ()),
        (snak("string", "https://x.org/a?b=c", "url"), "https://x.org/a?b=c", ()),
        (snak("string", "https://x.org/a b", "url"), '"https://x.org/a b"', ()),
        (snak("string", "https://x.org", "external-id"), '"https://x.org"', ()),
        (snak("monolingualtext", {"text": "é", "language": "zh-hans"}), '"é"@zh-hans', ()),
        (amount("+10"), '"10"^^xsd:integer', ()),
        (amount("-0"), '"0"^^xsd:integer', ()),
        (amount("-12"), '"-12"^^xsd:integer', ()),
        (amount("+1.50", "Q11573"), '"1.50"^^xsd:decimal', (("unit", "Q11573"),)),
        (amount("+1" + "0" * 30), f'"1{"0" * 30}"^^xsd:decimal', ()),
        (amount("+5", lowerBound="+4", upperBound="+5"), '"5"^^xsd:integer', (("lower bound", '"4"^^xsd:integer'),)),
        (moment("+1952-03-11T00:00:00Z", 11), '"1952-03-11"^^xsd:date', ()),
        (moment("+1952-03-11T00:00:00Z", 11, "Q1985786"), '"1952-03-11"^^xsd:date', (("calendar", "Q1985786"),)),
        (moment("+1952-03-00T00:00:00Z", 10), '"1952-03"^^xsd:gYearMonth', ()),
        (moment("+00000001952-00-00T00:00:00Z", 9), '"1952"^^xsd:gYear', ()),
        (moment("+1800-00-00T00:00:00Z", 7), '"1800"^^xsd:gYear', (("precision", '"century"'),)),
        (moment("-0044-03-15T00:00:00Z", 11), '"-0044-03-15"^^xsd:date', ()),
        (moment("-13798000000-00-00T00:00:00Z", 3), '"-13798000000"^^xsd:gYear', (("precision", '"million years"'),)),
        (moment("+2013-01-01T12:30:00Z", 14), '"2013-01-01T12:30:00Z"^^xsd:dateTime', ()),
        (
            snak("globecoordinate", {"latitude": 51.5, "longitude": -0.1, "precision": 0.1, "globe": Q + "Q2"}),
            '"Point(-0.1 51.5)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
            (),
        ),
        (
            snak("globecoordinate", {"latitude": 1, "longitude": 2, "globe": Q + "Q405"}),
            f'"<{Q}Q405> Point(2 1)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
            (),
        ),
    ],
)
def test_values(given: dict[str, Any], key: str, more: tuple[tuple[str, str], ...]) -> None:
    """Each kind has its datatype; items have ids, everything else has none."""
    found, number, besides = value_of(snak_of(given))
    assert (found, besides) == (key, more)
    assert number == (ids.encode(key) if key[0] in "QP" else 0)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"snaktype": "other"},
        {"snaktype": "value"},
        {"snaktype": "value", "datavalue": None},
        snak("unheard-of", "x"),
        item("Q0"),
        item("Q007"),
        snak("wikibase-entityid", {"entity-type": "item", "id": "Q1\tx"}),
        snak("wikibase-entityid", {"entity-type": "item", "id": "Q" + "9" * 5000}),
        snak("wikibase-entityid", {"entity-type": "lexeme", "id": "L1\t2"}),
        snak("wikibase-entityid", {"entity-type": "sense", "numeric-id": 5}),
        snak("string", 42),
        snak("string", None),
        snak("monolingualtext", {"text": "x", "language": "en\tb"}),
        snak("monolingualtext", {"text": "x", "language": 'en"'}),
        amount("ten"),
        amount("+1" + "0" * 1000),
        snak("quantity", {"amount": 10}),
        moment("1952-03-11", 11),
        moment("+1952-03-11T00:00:00Z", -1),
        snak("time", {"time": "+1952-03-11T00:00:00Z", "precision": "11"}),
        snak("globecoordinate", {"latitude": None, "longitude": 0}),
        snak("globecoordinate", {"latitude": True, "longitude": 0}),
        snak("globecoordinate", {"latitude": float("inf"), "longitude": 0}),
        snak("globecoordinate", ["x"]),
    ],
)
def test_what_is_no_value(given: dict[str, Any]) -> None:
    """It is an error that the caller counts, never a made-up value."""
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        value_of(snak_of(given))


def test_keys_are_read_by_everybody_else() -> None:
    """The ids that DuckDB and Python give such keys are the same, and people can read them."""
    import duckdb

    given = [
        amount("+10"),
        amount("+1.5"),
        moment("+1952-03-11T00:00:00Z", 11),
        moment("+1952-00-00T00:00:00Z", 9),
        moment("+2001-02-30T00:00:00Z", 11),
        moment("-0044-03-15T00:00:00Z", 11),
    ]
    keys = [value_of(snak_of(g))[0] for g in given]
    db = duckdb.connect()
    for key in keys:
        assert db.execute(f"SELECT {sql.value_id('?1')}", [key]).fetchall() == [(ids.encode(key),)]
    assert [literal_kind(k) for k in keys] == ["number", "number", "date", "date", "date", "date"]
    assert literal_text(keys[5]) == "-0044-03-15"
    assert literal_text(quote_text('a "b" \\ \n \x7f')) == 'a "b" \\ \n \x7f'


@pytest.mark.parametrize("key", ["Q1", "P31", "Q100000000000000000", "P999999999999999999"])
def test_numbers_of_items(key: str) -> None:
    """As everywhere."""
    assert wikidata_number(key) == ids.encode(key)


def test_languages() -> None:
    """Only texts have one, and some are in none."""
    assert language_of(snak_of(snak("monolingualtext", {"text": "x", "language": "fr"}))) == "fr"
    assert language_of(snak_of(snak("monolingualtext", {"text": "x", "language": "mul"}))) == ""
    assert language_of(snak_of(snak("string", "x"))) == ""
    assert language_of(snak_of({"snaktype": "somevalue"})) == ""


def reference(**snaks: str) -> dict[str, Any]:
    """A reference whose properties name items (or pages)."""
    return {"snaks": {p: [item(v) if v.startswith("Q") else snak("string", v)] for p, v in snaks.items()}}


WIKIPEDIA, FREEBASE, BOOK = reference(P143="Q328"), reference(P248="Q15241312", P577="x"), reference(P248="Q36578")


@pytest.mark.parametrize(
    "references, wanted",
    [
        ([WIKIPEDIA], 1),
        ([reference(P143="Q328", P4656="https://en.wikipedia.org/x", P813="x")], 1),
        ([reference(P4656="https://en.wikipedia.org/x")], 1),
        ([FREEBASE], 2),
        ([reference(P143="Q15241312")], 2),
        ([FREEBASE, WIKIPEDIA], 2),
        ([WIKIPEDIA, FREEBASE], 1),
        ([BOOK], 0),
        ([WIKIPEDIA, BOOK], 0),
        ([reference(P143="Q328", P854="https://x.org")], 0),
        ([reference(P143="Q328", P248="Q36578")], 0),
        ([reference(P813="x")], 0),
        ([{"snaks": []}], 0),
    ],
)
def test_who_stated_it_first(references: list[dict[str, Any]], wanted: int) -> None:
    """A statement is Wikipedia's or Freebase's only if no reference says anything else."""
    assert origin(references) == wanted


@pytest.mark.parametrize(
    "literal, key",
    [('"/m/0bcd"', "m.0bcd"), ('"/g/11x"', "g.11x"), ('"/m/0CAP"', ""), ('"/x/0bcd"', ""), ('"m.0b"', ""), ('""', "")],
)
def test_machine_ids(literal: str, key: str) -> None:
    """Only what an id can carry is a same-as link."""
    assert machine_number(literal) == (ids.encode(key) if key else 0)

"""JSON and XML files are read as nested values where they are nested, and left to the flat readers where not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hydra_kg.errors import FormatError
from hydra_kg_loaders.nested import files, json_files
from hydra_kg_loaders.nested.files import is_nested_xml, read_records, read_xml
from hydra_kg_loaders.nested.json_files import is_nested_json, read_json

LINES = [{"sku": "S1", "qty": 1}, {"sku": "S2", "qty": 2}]
NESTED = [
    json.dumps({"shop": "Tarn", "orders": [{"id": 1}]}),
    json.dumps([{"id": 1, "lines": LINES}]),
    json.dumps({"id": 1}) + "\n" + json.dumps({"id": 2, "lines": LINES}) + "\n",
    json.dumps({"a": [{"x": 1}], "b": [{"y": 1}]}),
    json.dumps({"packages": {"x/a": {"v": 1}, "x/b": {"v": 2}}}),
]
FLAT = [
    json.dumps([{"id": 1, "tags": ["a", "b"], "home": {"town": "Lindby"}}]),
    json.dumps({"id": 1}) + "\n" + json.dumps({"id": 2}) + "\n",
    json.dumps({"orders": [{"id": 1}, {"id": 2}]}),
    json.dumps({"id": 1, "name": "Ada"}),
]


def nested_json(file: Path) -> bool:
    return is_nested_json(file, file.read_bytes()[:65536], file.stat().st_size)


@pytest.mark.parametrize("text", NESTED)
def test_json_with_records_in_records_is_nested(tmp_path: Path, text: str) -> None:
    (file := tmp_path / "a.json").write_text(text)
    assert nested_json(file)


@pytest.mark.parametrize("text", FLAT)
def test_json_of_flat_records_is_not(tmp_path: Path, text: str) -> None:
    (file := tmp_path / "a.json").write_text(text)
    assert not nested_json(file)


def test_a_file_beyond_the_bound_is_read_record_by_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "a.json").write_text(NESTED[0])
    monkeypatch.setattr(json_files, "MOST_BYTES", 20)
    monkeypatch.setattr(files, "MOST_BYTES", 20)
    assert not nested_json(file)
    (xml := tmp_path / "a.xml").write_text("<a><b><c>1</c></b><b><c>2</c></b><d>1</d></a>")
    assert not is_nested_xml(xml, xml.read_bytes(), 44)


def test_broken_lines_are_told_and_others_have_their_line(tmp_path: Path) -> None:
    (file := tmp_path / "a.jsonl").write_text('{"id": 01.50}\n{"id": 1.50}\n[1]\n\n{"id": 2}\n')
    root, bad = read_json(file)
    assert [(one["id"], one.place) for one in root] == [("1.50", "line 2"), ("2", "line 5")]
    assert [reason for reason, _ in bad] == ["json", "object"]


def test_geojson_has_properties_as_fields_and_points_by_name(tmp_path: Path) -> None:
    feature = {
        "type": "Feature",
        "id": 7,
        "properties": {"id": 8, "name": "Gull Rock"},
        "geometry": {"type": "Point", "coordinates": [10.25, 53.5]},
    }
    (file := tmp_path / "a.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    root, _ = read_json(file)
    assert root["features"] == [
        {
            "id": "7",
            "properties.id": "8",
            "name": "Gull Rock",
            "longitude": "10.25",
            "latitude": "53.5",
            "geometry": {"type": "Point"},
        }
    ]


def test_xml_keeps_attributes_texts_and_lines(tmp_path: Path) -> None:
    (file := tmp_path / "a.xml").write_text(
        '<s:shop xmlns:s="u:x" s:town="Lindby">\n<s:order id="1"><price unit="EUR">4</price><id>x</id></s:order>\n'
        "<s:order><note>two\n lines</note></s:order></s:shop>"
    )
    root = read_xml(file)
    assert root["town"] == "Lindby"
    first, second = root["order"]
    assert first == {"@id": "1", "price": {"": "4", "unit": "EUR"}, "id": "x"}
    assert (first.place, second.place) == ("line 2", "line 3")
    assert second == {"note": "two lines"}


@pytest.mark.parametrize(
    "text, nested",
    [
        ("<a><b><c>1</c></b><b><c>2</c></b></a>", False),
        ("<a><b x='1'/><b x='2'/></a>", False),
        ("<a v='1'><b x='1'/><b x='2'/></a>", True),
        ("<a><b x='1'/><b x='2'/><d y='1'/></a>", True),
        ("<a><b><c x='1' y='1'/><c x='2' y='2'/></b><b/></a>", True),
        ("<a><bs><b x='1' y='1'/><b x='2' y='1'/></bs><cs><c x='1' y='2'/><c x='3' y='4'/></cs></a>", True),
    ],
)
def test_xml_with_records_of_several_kinds_is_nested(tmp_path: Path, text: str, nested: bool) -> None:
    (file := tmp_path / "a.xml").write_text(text)
    assert is_nested_xml(file, text.encode(), len(text)) == nested


def test_xml_that_declares_a_document_type_is_refused(tmp_path: Path) -> None:
    (file := tmp_path / "a.xml").write_text('<!DOCTYPE a [<!ENTITY x "y">]><a><b>&x;</b></a>')
    with pytest.raises(FormatError, match="document type"):
        read_xml(file)


def test_marc_records_have_named_fields_and_rows_for_the_others(tmp_path: Path) -> None:
    (file := tmp_path / "a.xml").write_text(
        '<collection xmlns="http://www.loc.gov/MARC21/slim"><record><leader>00925</leader>'
        '<controlfield tag="001">77</controlfield><controlfield tag="008">x</controlfield>'
        '<datafield tag="100" ind1="1" ind2=" "><subfield code="a">Holt, Ines.</subfield></datafield>'
        '<datafield tag="245" ind1="0" ind2="4"><subfield code="a">The Tarn /</subfield></datafield>'
        '<datafield tag="260"><subfield code="b">Oak Press,</subfield><subfield code="c">c1988.</subfield></datafield>'
        '<datafield tag="999" ind1="2"><subfield code="z">kept</subfield></datafield></record></collection>'
    )
    head = file.read_bytes()
    assert is_nested_xml(file, head, len(head))
    (record,) = read_records(file, head)["record"]
    assert (record["author"], record["title"], record["publisher"]) == (["Ines Holt"], ["The Tarn"], ["Oak Press"])
    assert record["year published"] == ["1988"]
    assert record["leader"] == "00925"
    assert record["field"] == [
        {"tag": "008", "value": "x"},
        {"tag": "999", "ind1": "2", "code": "z", "value": "kept"},
    ]

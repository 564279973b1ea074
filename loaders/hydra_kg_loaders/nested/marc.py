"""Read MARC 21 records by the names of their fields: title, author, publisher, year, subjects."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hydra_kg.util.package_data import table
from hydra_kg_loaders.nested.element import TEXT, PlacedObject, Value, is_empty

_NAMESPACE: Final = b"http://www.loc.gov/MARC21/slim"
_PUNCTUATION: Final = re.compile(r"\s*[/:;,=]\s*$|(?<=[^\s.][^\s.])\.$")
_YEAR: Final = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_PERSON: Final = re.compile(r"([^,]+), ([^,]+)")


def is_marc(head: bytes) -> bool:
    """Return True if the first bytes of an XML file are MARCXML."""
    return _NAMESPACE in head


def marc_record(record: Value) -> Value:
    """Return a record with the names of ``marc.tsv`` for its common fields.

    Cataloguing punctuation is removed ("Ines Holt", "1988"). Other fields become rows of ``field``.
    """
    if not isinstance(record, dict):
        return record
    out = PlacedObject(place=record.place if isinstance(record, PlacedObject) else "")
    fields: list[Value] = []
    for field in _each(record.get("controlfield")):
        tag, value = _text(field, "tag"), _text(field, TEXT)
        _add(out, fields, tag, "", value, field)
    for field in _each(record.get("datafield")):
        tag = _text(field, "tag")
        for part in _each(field.get("subfield")):
            _add(out, fields, tag, _text(part, "code"), _text(part, TEXT), field, inverted=_text(field, "ind1") == "1")
    for key, value in record.items():
        if key not in {"controlfield", "datafield"}:
            out[key] = value
    if fields:
        out["field"] = fields
    return out


def _add(
    out: PlacedObject, fields: list[Value], tag: str, code: str, value: str, around: Value, *, inverted: bool = False
) -> None:
    """Append a MARC subfield under the name that the field list gives it."""
    if is_empty(value):
        return
    name, kind = _names().get((tag, code), ("", ""))
    if name:
        plain = value if kind == "exact" else _PUNCTUATION.sub("", value.strip())
        if kind == "person" and inverted and (m := _PERSON.fullmatch(plain)):
            plain = f"{m[2]} {m[1]}"
        if kind == "year" and (year := _YEAR.search(plain)):
            plain = year[0]
        out.setdefault(name, [])
        out[name].append(plain)
        return
    row = PlacedObject(place=around.place if isinstance(around, PlacedObject) else "")
    row["tag"] = tag
    for ind in ("ind1", "ind2"):
        if not is_empty(around.get(ind)):
            row[ind] = around[ind]
    if code:
        row["code"] = code
    row["value"] = value
    fields.append(row)


def _each(value: Value) -> list[dict[str, Value]]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _text(value: dict[str, Value], key: str) -> str:
    found = value.get(key, "")
    return found if isinstance(found, str) else ""


@cache
def _names() -> dict[tuple[str, str], tuple[str, str]]:
    """Return (name, kind) by (tag, code)."""
    return {(tag, code if code != "-" else ""): (name, kind) for tag, code, name, kind in _rows()}


def _rows() -> list[tuple[str, ...]]:
    return [(*row, "")[:4] for row in table("hydra_kg_loaders.nested", "marc.tsv")]

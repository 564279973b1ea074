"""Return the value of a snak of Wikidata's JSON as a key: an item, or a literal in N-Triples form with its datatype."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from msgspec import UNSET

from hydra_kg import ids
from hydra_kg_loaders.wikidata import entity_fields
from hydra_kg_loaders.wikidata.entity_fields import Snak

SOME: Final = "http://wikiba.se/ontology#Somevalue"
NONE: Final = "http://wikiba.se/ontology#Novalue"
"""The kinds of snaks for an unknown value and for no value."""

_UNKNOWN: Final = {"somevalue": SOME, "novalue": NONE}
ENTITY: Final = "http://www.wikidata.org/entity/"
WKT: Final = "http://www.opengis.net/ont/geosparql#wktLiteral"
_EARTH: Final = "Q2"
_GREGORIAN: Final = "Q1985727"

_ESCAPES: Final = {
    **{n: f"\\u{n:04X}" for n in (*range(0x20), 0x7F)},
    0x09: "\\t",
    0x0A: "\\n",
    0x0D: "\\r",
    0x22: '\\"',
    0x5C: "\\\\",
}
_TIME: Final = re.compile(r"([+-])(\d{1,16})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)Z")
_WHOLE: Final = re.compile(r"\+?(-?)0*(\d{1,18})")
_DECIMAL: Final = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?")
_OTHER: Final = re.compile(r"[A-Z][1-9][0-9]{0,17}(-[A-Z][1-9][0-9]{0,17})?")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_IRI: Final = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f<>"{}|^`\\]+')
_TAGS: Final = {"Q": ids.QID, "P": ids.PID}
_LIMIT: Final = 1 << ids.VALUE_BITS
_SPANS: Final = {
    8: "decade",
    7: "century",
    6: "millennium",
    5: "10,000 years",
    4: "100,000 years",
    3: "million years",
    2: "10 million years",
    1: "100 million years",
    0: "billion years",
}
JSON_KINDS: Final = ("geo-shape", "tabular-data")
"""Kinds of values that are loaded as they are."""
_LANGUAGES_OF_NONE: Final = frozenset({"mul", "und", "zxx", "mis"})

Value = tuple[str, int, tuple[tuple[str, str], ...]]
"""A value: its key, the id of its item or property or 0, and its details (unit, bounds, calendar, precision)."""


class OddValueError(ValueError):
    """A value that this program does not understand."""


class OtherShapeError(Exception):
    """A value of which the fast parser did not read enough."""


def quote_text(text: str) -> str:
    """Return a text in quotation marks, escaped as in N-Triples."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{text.translate(_ESCAPES)}"'


def wikidata_number(key: str) -> int:
    """Return the id of ``Q42`` or ``P19``. Raises OddValueError, KeyError, … for anything else."""
    tag = _TAGS[key[0]]
    number = int(key[1:19])
    if number <= 0 or number >= _LIMIT or str(number) != key[1:]:
        raise OddValueError(key)
    return number << ids.TAG_BITS | tag


def entity_key(value: dict[str, Any]) -> str:
    """Return the key of an entity id, such as ``Q42``. Old dumps have only its number."""
    if (key := value.get("id")) is not None:
        return str(key)
    prefix = {"item": "Q", "property": "P"}.get(value["entity-type"])
    if prefix is None:
        raise OddValueError("entity-type")
    return f"{prefix}{int(value['numeric-id'])}"


def value_of(snak: Snak) -> Value:
    """Return a snak's value.

    Raises OddValueError, KeyError, TypeError …, and OtherShapeError if the loose parser must read it.
    """
    kind = snak.snaktype
    if kind != "value":
        if kind not in _UNKNOWN:
            raise OddValueError("snaktype")
        return _UNKNOWN[kind], 0, ()
    data: Any = snak.datavalue
    value = data.value
    name = data.type
    if name == "wikibase-entityid":
        key = value.id
        if key is None:  # as in old dumps
            raise OtherShapeError
        if key[:1] in _TAGS:
            return key, wikidata_number(key), ()
        if not _OTHER.fullmatch(key):
            raise OddValueError("entity")
        return ENTITY + key, 0, ()  # a lexeme, a form, a sense, a media file
    if name == "string":
        if snak.datatype == "url" and _IRI.fullmatch(value):
            return value, 0, ()
        return quote_text(value), 0, ()
    make = _MAKERS.get(name)
    if make is None:
        raise OddValueError(str(name)[:40])
    return make(value)


def language_of(snak: Snak) -> str:
    """Return the language of a text, "" for other values and for texts without language."""
    data: Any = snak.datavalue
    if data is None or data.type != "monolingualtext":
        return ""
    if (language := data.value.language) is UNSET:
        raise OddValueError("language")
    return "" if str(language) in _LANGUAGES_OF_NONE else str(language)


def _monolingual(value: Any) -> Value:
    if not _LANGUAGE.fullmatch(value.language):
        raise OddValueError("language")
    return f"{quote_text(value.text)}@{value.language}", 0, ()


def _quantity(value: Any) -> Value:
    amount, more = value.amount, []
    if (unit := value.unit) != "1":
        more.append(("unit", unit.removeprefix(ENTITY)))
    if (bound := value.lowerBound) is not None and bound != amount:
        more.append(("lower bound", _number(bound)))
    if (bound := value.upperBound) is not None and bound != amount:
        more.append(("upper bound", _number(bound)))
    return _number(amount), 0, tuple(more)


def _number(amount: str) -> str:
    """Return the key of a number: ``"+42"`` → ``"42"^^xsd:integer``.

    With a fraction, or longer than 18 digits, it is ``xsd:decimal``.
    """
    if len(amount) < 20 and amount[0] == "+" and (digits := amount[1:]).isdecimal() and digits[0] != "0":
        return f'"{digits}"^^xsd:integer'
    if m := _WHOLE.fullmatch(amount):
        sign = "" if m[2] == "0" else m[1]
        return f'"{sign}{m[2]}"^^xsd:integer'
    if not _DECIMAL.fullmatch(amount):
        raise OddValueError("amount")
    return f'"{amount.removeprefix("+")}"^^xsd:decimal'


def _time(value: Any) -> Value:
    """Return a date or year in its stated precision. Raises OddValueError."""
    m = _TIME.fullmatch(value.time)
    if m is None:
        raise OddValueError("time")
    sign, digits, month, day, clock = m.groups()
    year = f"{'-' if sign == '-' else ''}{digits.lstrip('0').rjust(4, '0')}"
    precision = value.precision
    more = []
    if (calendar := value.calendarmodel.removeprefix(ENTITY)) not in {"", _GREGORIAN}:
        more.append(("calendar", calendar))
    if precision >= 12 or (precision == 11 and clock != "00:00:00"):
        key = f'"{year}-{month}-{day}T{clock}Z"^^xsd:dateTime'
    elif precision == 11:
        key = f'"{year}-{month}-{day}"^^xsd:date'
    elif precision == 10:
        key = f'"{year}-{month}"^^xsd:gYearMonth'
    else:
        key = f'"{year}"^^xsd:gYear'
        if precision != 9:
            more.append(("precision", quote_text(_SPANS[precision])))
    return key, 0, tuple(more)


def _coordinate(value: Any) -> Value:
    longitude, latitude = value.longitude, value.latitude
    for number in (longitude, latitude):
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise OddValueError("coordinate")
    globe = (value.globe or _EARTH).removeprefix("https").removeprefix("http").removeprefix(ENTITY[4:])
    place = "" if globe == _EARTH else f"<{ENTITY}{globe}> "
    return f"{quote_text(f'{place}Point({longitude} {latitude})')}^^<{WKT}>", 0, ()


def _json(value: object) -> Value:
    if isinstance(value, entity_fields.SnakValue):  # of which only some fields were read
        raise OtherShapeError
    return quote_text(json.dumps(value, ensure_ascii=False, sort_keys=True)), 0, ()


_MAKERS: Final = {
    "time": _time,
    "quantity": _quantity,
    "globecoordinate": _coordinate,
    "monolingualtext": _monolingual,
    **dict.fromkeys(JSON_KINDS, _json),
}

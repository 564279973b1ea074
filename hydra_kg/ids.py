"""Numbers for terms: one signed 64-bit id per node or predicate, reversible wherever the term allows it.

An id is ``value << 3 | tag``. Machine ids, Wikidata numbers, integers, years and dates are encoded in the number
itself; every other term is 60 bits of SHA-256 and keeps its text in the store. A term is encoded only if decoding
gives the same text back, so a made-up ``m.0cvt_…`` id of more than 60 bits is hashed instead of overflowing.

Terms ("keys") are text: ``m.042f1``, ``g.119pgx``, ``Q42``, ``P19``, ``people.person.place_of_birth`` (any Freebase
name without its name space), ``"42"^^xsd:integer`` (literals in N-Triples form, escapes kept, XSD shortened to
``xsd:``), ``https://example.org/x`` (any other IRI, bare).
"""

from __future__ import annotations

import datetime as _dt
import hashlib
import re
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

OPEN: Final = "open:"
"""Beginning of the key of a predicate whose text is a phrase of the source."""

MID: Final = 0
GID: Final = 1
QID: Final = 2
PID: Final = 3
INTEGER: Final = 4
HASHED: Final = 5
DATE: Final = 6
YEAR: Final = 7

TYPE_KEYS: Final = ("P31", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type.object.type")
"""Predicates whose objects are types."""

TAG_BITS: Final = 3
VALUE_BITS: Final = 60
_LIMIT: Final = 1 << VALUE_BITS
_HALF: Final = 1 << (VALUE_BITS - 1)
_DIGITS: Final = "0123456789bcdfghjklmnpqrstvwxyz_"
_DIGIT: Final = {c: i for i, c in enumerate(_DIGITS)}
_EPOCH: Final = _dt.date(1, 1, 1).toordinal()
_LAST: Final = _dt.date.max.toordinal()
_WIKIDATA: Final = re.compile(r"[QP][1-9][0-9]{0,17}")
_INTEGER: Final = re.compile(r'"(0|-?[1-9][0-9]{0,17})"\^\^xsd:integer')
_YEAR: Final = re.compile(r'"([0-9]{4})"\^\^xsd:gYear')
_DATE: Final = re.compile(r'"([0-9]{4})-([0-9]{2})-([0-9]{2})"\^\^xsd:date')


def encode(key: str) -> int:
    """Return the id of a term. It never raises: what cannot be encoded reversibly is hashed."""
    head = key[:1]
    if head in ("m", "g"):
        inline = _encode_machine(key)
    elif head in ("Q", "P"):
        inline = _encode_wikidata(key)
    elif head == '"':
        inline = _encode_literal(key)
    else:
        inline = None
    return hash_key(key) if inline is None else inline


def hash_key(key: str) -> int:
    """Return the hashed id of a term: the first 15 hexadecimal digits of its SHA-256, tagged."""
    return int(hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:15], 16) << TAG_BITS | HASHED


def decode(number: int) -> str | None:
    """Return the term of an id, or None for what is not an id, and for a hashed id, whose text only the store knows."""
    if number < 0:
        return None
    tag, value = number & 7, number >> TAG_BITS
    if tag in (MID, GID):
        text = ""
        while value:
            text = _DIGITS[value & 31] + text
            value >>= 5
        return f"m.0{text}" if tag == MID else f"g.{text}"
    if tag == QID:
        return f"Q{value}"
    if tag == PID:
        return f"P{value}"
    if tag == INTEGER:
        return f'"{value - _HALF}"^^xsd:integer'
    if tag == YEAR:
        return f'"{value:04d}"^^xsd:gYear'
    if tag == DATE and 1 <= value + _EPOCH <= _LAST:
        return f'"{_dt.date.fromordinal(value + _EPOCH).isoformat()}"^^xsd:date'
    return None


def is_inline(number: int) -> bool:
    """Return whether the id carries its own text."""
    return number & 7 != HASHED


def noun_key(load: str) -> str:
    """Return the key of a predicate without facts whose text is the noun for the rows of a table: "country"."""
    return f"{load}:"


def merged_key(load: str, noun: str) -> str:
    """Return the key of a predicate without facts whose text is the number of rows of a table that were merged.

    They repeat another row word for word, and nothing but their texts says that they are the same thing.
    """
    return f"{load}:={noun}"


def encode_many(keys: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return the ids of many terms, shape (n,)."""
    return np.fromiter((encode(k) for k in keys), np.int64)


def fact_id(subject: str, predicate: str, obj: str, source: str, ordinal: int = 0) -> int:
    """Return the id of a fact: 60 bits over the *texts* of its parts, equal in every store, machine and load order.

    ``ordinal`` counts the statements of one source that share subject, predicate and object and differ in
    qualifiers (docs/adr/0002-computed-identifiers.md).
    """
    text = "\x1f".join((subject, predicate, obj, source, str(ordinal)))
    return int(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:15], 16)


def _encode_machine(key: str) -> int | None:
    """Encode a machine id, or return None.

    A mid is a base-32 number after the leading 0, whose next digit must not be 0. A g-id is all digits.
    """
    if key[1:2] != ".":
        return None
    mid = key[0] == "m"
    digits = key[3:] if mid else key[2:]
    if mid and key[2:3] != "0":
        return None
    if not digits or digits[0] == "0" or len(digits) > VALUE_BITS // 5:
        return None
    value = 0
    for c in digits:
        d = _DIGIT.get(c)
        if d is None:
            return None
        value = value << 5 | d
    return value << TAG_BITS | (MID if mid else GID)


def _encode_wikidata(key: str) -> int | None:
    if not _WIKIDATA.fullmatch(key):
        return None
    value = int(key[1:])
    return None if value >= _LIMIT else value << TAG_BITS | (QID if key[0] == "Q" else PID)


def _encode_literal(key: str) -> int | None:
    """Encode a small integer, a year or a date, or return None."""
    if m := _INTEGER.fullmatch(key):
        value = int(m[1]) + _HALF
        return None if not 0 <= value < _LIMIT else value << TAG_BITS | INTEGER
    if m := _YEAR.fullmatch(key):
        return int(m[1]) << TAG_BITS | YEAR
    if m := _DATE.fullmatch(key):
        try:
            value = _dt.date(int(m[1]), int(m[2]), int(m[3])).toordinal() - _EPOCH
        except ValueError:
            return None
        return value << TAG_BITS | DATE
    return None

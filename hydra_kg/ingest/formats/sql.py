"""DuckDB expressions for ids and checks of terms, equal to :mod:`hydra_kg.ids`. Pass columns, not expressions."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg import ids
from hydra_kg.ingest.formats.ntriples import BLANK
from hydra_kg.text.quoting import sql_text

HASH_DIGITS: Final = 15
"""Number of hexadecimal digits of SHA-256 in a hashed id, as in :func:`hydra_kg.ids.hash_key`."""

_DIGITS: Final = "0123456789bcdfghjklmnpqrstvwxyz_"
_MACHINE: Final = "[1-9b-df-hj-np-tv-z_][0-9b-df-hj-np-tv-z_]{0,11}"
_IRI: Final = r'<[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*>'
_NO_IRI: Final = re.compile(r'[\x00-\x20<>"{}|^`\\]')

_ESCAPES: Final = (
    r"""\\[tbnrf"'\\]|\\u(?:[0-9a-cA-CeEfF][0-9A-Fa-f]{3}|[dD][0-7][0-9A-Fa-f]{2})"""
    r"|\\U000(?:[1-9A-Fa-f][0-9A-Fa-f]{4}|0[0-9a-cA-CeEfF][0-9A-Fa-f]{3}|0[dD][0-7][0-9A-Fa-f]{2})|\\U0010[0-9A-Fa-f]{4}"
)
_LITERAL: Final = rf'"(?:[^"\\\x00-\x1f]|{_ESCAPES})*"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^{_IRI})?'


def holds_iri_characters(key: str) -> bool:
    """Return True if a key (an IRI or a part of one) has only characters that IRIs may have."""
    return bool(key) and _NO_IRI.search(key) is None


def is_iri(term: str) -> str:
    """Return SQL that is true if a term ``<…>`` is a legal absolute IRI without escapes."""
    return f"regexp_full_match({term}, {sql_text(_IRI)})"


def is_blank(term: str) -> str:
    """Return SQL that is true if a term is a blank node."""
    return f"regexp_full_match({term}, {sql_text(BLANK)})"


def is_literal(term: str) -> str:
    """Return SQL that is true if a term ``"…"`` is a legal literal.

    All escapes must be characters, and nothing that needs an escape may be raw.
    """
    return f"regexp_full_match({term}, {sql_text(_LITERAL)})"


def machine_digits(term: str, space: str) -> str:
    """Return SQL for the base-32 digits of a term ``<space>m.0…`` or ``<space>g.…``, NULL for other terms.

    The term is an IRI in angle brackets.
    """
    mid, gid = f"<{space}m.0", f"<{space}g."
    return (
        f"CASE WHEN starts_with({term}, '{mid}') THEN substr({term}, {len(mid) + 1}, strlen({term}) - {len(mid) + 1})"
        f" WHEN starts_with({term}, '{gid}') THEN substr({term}, {len(gid) + 1}, strlen({term}) - {len(gid) + 1}) END"
    )


def is_machine(digits: str) -> str:
    """Return SQL that is true if the id encodes a key with these digits (see :func:`hydra_kg.ids.encode`)."""
    return f"coalesce(regexp_full_match({digits}, '{_MACHINE}'), false)"


def machine_id(digits: str, is_mid: str) -> str:
    """Return SQL for the id of digits for which :func:`is_machine` is true.

    The digits are a base-32 number. Missing places at its beginning count as 0.
    """
    value = " + ".join(
        f"(CASE WHEN strlen({digits}) >= {place} THEN (strpos('{_DIGITS}', substr({digits}, -{place}, 1)) - 1)::BIGINT"
        f" << {5 * (place - 1)} ELSE 0 END)"
        for place in range(1, ids.VALUE_BITS // 5 + 1)
    )
    return f"(({value}) << {ids.TAG_BITS} | CASE WHEN {is_mid} THEN {ids.MID} ELSE {ids.GID} END)"


def hash_id_sql(key: str) -> str:
    """Return SQL for the hashed id of any key."""
    return f"(('0x' || left(sha256({key}), {HASH_DIGITS}))::BIGINT << {ids.TAG_BITS} | {ids.HASHED})"


def is_wikidata(key: str) -> str:
    """Return SQL that is true if the id encodes a key such as ``Q42`` or ``P19`` (18 digits are below 2**60)."""
    return f"regexp_full_match({key}, '[QP][1-9][0-9]{{0,17}}')"


def wikidata_id(key: str) -> str:
    """Return SQL for the id of a key for which :func:`is_wikidata` is true."""
    tag = f"(CASE WHEN starts_with({key}, 'Q') THEN {ids.QID} ELSE {ids.PID} END)"
    return f"(substr({key}, 2)::BIGINT << {ids.TAG_BITS} | {tag})"


def value_id(key: str) -> str:
    """Return SQL for the id of a value's key: a literal (XSD shortened to ``xsd:``) or any other hashed text."""
    half = 1 << (ids.VALUE_BITS - 1)
    whole = f"try_cast(regexp_extract({key}, '^\"(0|-?[1-9][0-9]{{0,17}})\"\\^\\^xsd:integer$', 1) AS BIGINT)"
    day = f"""try_cast(regexp_extract({key}, '^"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"\\^\\^xsd:date$', 1) AS DATE)"""
    year = f"""try_cast(regexp_extract({key}, '^"([0-9]{{4}})"\\^\\^xsd:gYear$', 1) AS BIGINT)"""
    return (
        f"(CASE WHEN ends_with({key}, '\"^^xsd:integer') AND {whole} >= {-half} AND {whole} < {half}"
        f" THEN ({whole} + {half}) << {ids.TAG_BITS} | {ids.INTEGER}"
        f" WHEN ends_with({key}, '\"^^xsd:gYear') AND {year} IS NOT NULL THEN {year} << {ids.TAG_BITS} | {ids.YEAR}"
        f" WHEN ends_with({key}, '\"^^xsd:date') AND {day} >= DATE '0001-01-01'"
        f" THEN date_diff('day', DATE '0001-01-01', {day}) << {ids.TAG_BITS} | {ids.DATE}"
        f" ELSE {hash_id_sql(key)} END)"
    )


def literal_key(term: str) -> str:
    """Return SQL for the key of a literal: its N-Triples form with XSD datatypes as ``xsd:…``."""
    start = "^^<http://www.w3.org/2001/XMLSchema#"
    return (
        f"(CASE WHEN ends_with({term}, '>') AND contains({term}, {sql_text(start)}) THEN regexp_replace({term},"
        f" '\\^\\^<http://www[.]w3[.]org/2001/XMLSchema#([^>\"]*)>$', '^^xsd:\\1') ELSE {term} END)"
    )

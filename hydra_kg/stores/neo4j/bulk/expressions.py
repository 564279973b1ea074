"""Keys, fact ids and folded names as DuckDB expressions. Arguments are evaluated several times, so pass columns."""

from __future__ import annotations

from typing import Final

from hydra_kg import ids
from hydra_kg.stores.neo4j.reads.names import LONGEST

_DIGITS: Final = "0123456789bcdfghjklmnpqrstvwxyz_"  # of machine ids, as in ids.py; a test compares them
_HALF: Final = 1 << (ids.VALUE_BITS - 1)


def key_of(number: str) -> str:
    """Return an expression for the key of an id, as :func:`hydra_kg.ids.decode` makes it; NULL for a hashed id."""
    value = f"({number} >> {ids.TAG_BITS})"
    places = range(ids.VALUE_BITS // 5 - 1, -1, -1)
    digits = " || ".join(
        f"CASE WHEN {value} >> {5 * n} > 0 THEN substr('{_DIGITS}', (({value} >> {5 * n}) & 31)::INTEGER + 1, 1)"
        " ELSE '' END"
        for n in places
    )
    return (
        f"CASE {number} & 7 WHEN {ids.MID} THEN 'm.0' || {digits} WHEN {ids.GID} THEN 'g.' || {digits}"
        f" WHEN {ids.QID} THEN 'Q' || {value} WHEN {ids.PID} THEN 'P' || {value}"
        f" WHEN {ids.INTEGER} THEN '\"' || ({value} - {_HALF}) || '\"^^xsd:integer'"
        f" WHEN {ids.YEAR} THEN '\"' || lpad({value}::VARCHAR, 4, '0') || '\"^^xsd:gYear'"
        f" WHEN {ids.DATE} THEN '\"' || (DATE '0001-01-01' + {value}::INTEGER)::VARCHAR || '\"^^xsd:date' END"
    )


def fact_id(subject: str, predicate: str, obj: str, source: str, ordinal: str) -> str:
    """Return an expression for the id of a fact, as :func:`hydra_kg.ids.fact_id` makes it."""
    text = " || chr(31) || ".join((subject, predicate, obj, source, f"{ordinal}::VARCHAR"))
    return f"('0x' || left(sha256({text}), 15))::BIGINT"


def is_plain(text: str) -> str:
    """Return an expression for whether a name is ASCII with a letter or digit.

    :func:`fold_plain_name` folds such names. All other names are folded in Python.
    """
    return f"(strlen({text}) = length({text}) AND regexp_matches({text}, '[0-9A-Za-z]'))"


def fold_plain_name(text: str) -> str:
    """Return an expression for a plain name, folded as :func:`hydra_kg.text.folding.fold` does it."""
    return f"trim(regexp_replace(lower({text}), '[^0-9a-z]+', ' ', 'g'))"


def fold_key(folded: str) -> str:
    """Return an expression for the same key as :func:`hydra_kg.stores.neo4j.reads.names.fold_key`."""
    return (
        f"CASE WHEN length({folded}) <= {LONGEST} THEN {folded}"
        f" ELSE left({folded}, {LONGEST}) || ' ' || sha256({folded}) END"
    )


def distinct_words(folded: str) -> str:
    """Return an expression for the words of a folded name, each once, in order, joined by blanks."""
    words = f"string_split({folded}, ' ')"
    return (
        f"CASE WHEN len({words}) = len(list_distinct({words})) THEN {folded} ELSE array_to_string("
        f"list_filter({words}, lambda w, i: list_position({words}, w) = i), ' ') END"
    )

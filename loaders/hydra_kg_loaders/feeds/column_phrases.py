"""Turn names of tables and columns into English: their words, a noun for a row, a phrase for a relation."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import past_participle, singular

_GLUED: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ONE_WORD: Final = re.compile(
    r"(?<![A-Za-z])(?:([A-Z][a-z]) (?!ID(?![A-Z]))(?=[A-Z]{2,}(?![a-z]))|([ei]) (?=[A-Z][a-z]))"
)
"""Pattern of places where a short beginning belongs to what follows: MoMA, eMail; not MyID."""

_GAP: Final = re.compile(r"[\W_]+")
_PREFIXES: Final = frozenset("tbl table dim fact ref lookup vw stg".split())
_NUMBERED: Final = frozenset("ssn isbn ean issn doi iri uri sku".split())
"""Words for identifiers that others give. A table may have one in addition to its own."""

_NO_ID: Final = frozenset("candid hybrid liquid orchid pyramid stupid splendid".split())
_SUFFIXES: Final = frozenset("data list info information table master".split())
_IDS: Final = _NUMBERED | frozenset("id ids uid uuid guid code key number no nr num ref fk pk identifier".split())
"""Last words of a column that identifies rows or refers to one."""

_NEVER_NOUNS: Final = list_words("never_noun")
_PREPOSITIONS: Final = list_words("preposition")

OTHER_ROWS: Final = frozenset("parent previous next predecessor successor superior ancestor original".split())
"""Words in columns of ids that mean another row of the same table."""


def words(name: str) -> list[str]:
    """Return the words of a name in lower case, except abbreviations: ``CountryCode`` → country code."""
    spread = _ONE_WORD.sub(r"\1\2", _GLUED.sub(" ", name)) if not name.isupper() else name
    found = [w for w in _GAP.split(spread) if w]
    return [w if w.isupper() and 1 < len(w) <= 4 and not name.isupper() else w.casefold() for w in found]


def normalise_words(name: str) -> tuple[str, ...]:
    """Return the words of a name for comparison: lower case, singular."""
    return tuple(singular(w.casefold()) for w in words(name))


def noun(table: str) -> str:
    """Return the noun for one row of a table: ``Ref_Document_Types`` → document type."""
    found = words(table)
    while len(found) > 1 and found[0] in _PREFIXES:
        found = found[1:]
    while len(found) > 1 and found[-1] in _SUFFIXES:
        found = found[:-1]
    if not found:
        return "row"
    return " ".join([*found[:-1], singular(found[-1])])


def phrase(column: str) -> str:
    """Return what a column says of a row: ``Max_Gross_Weight`` → max gross weight."""
    return " ".join(words(column)) or column


def is_own_id(column: str) -> bool:
    """Return True if a column's name is only a word for an identifier."""
    found = normalise_words(column)
    return len(found) == 1 and found[0] in _IDS - _NUMBERED


def is_id_like(column: str) -> bool:
    """Return True if a column's name ends like names of identifiers."""
    found = [w.casefold() for w in words(column)]
    return bool(found) and (found[-1] in _IDS or (len(found) == 1 and _ends_as_id(found[0])))


def stem(column: str) -> tuple[str, ...]:
    """Return the words of a column without those that only mark an identifier: ``city_id`` → city."""
    found = list(normalise_words(column))
    while found and found[-1] in _IDS:
        found.pop()
    if len(found) == 1 and _ends_as_id(found[0]):
        return (found[0][:-2],)  # customerid
    return tuple(found)


def _ends_as_id(word: str) -> bool:
    """Return True if a word is a noun followed by ``id`` (customerid), not one that ends in it by itself."""
    return len(word) > 5 and word.endswith("id") and word[-3] not in "aoul" and word not in _NO_ID


def is_verb_phrase(name: str) -> bool:
    """Return True if a name is an action, or a verb and its preposition: directed, teaches, lives_in; not visits."""
    found = [w.casefold() for w in words(name)]
    if not 1 <= len(found) <= 2 or not past_participle(found[0]):
        return False
    is_noun = found[0].endswith("s") and not _NEVER_NOUNS & {found[0][:-1], found[0][:-2]}
    return found[-1] in _PREPOSITIONS if is_noun else len(found) == 1 or found[-1] in _PREPOSITIONS


def inverse_phrase(relation: str) -> str:
    """Return the phrase of a relation from its other end: city → is the city of, wrote → was written by."""
    found = relation.split()
    if is_verb_phrase(relation) and found[-1] != "by":
        return " ".join(["was", past_participle(found[0]), *found[1:], "by"])
    if found and found[0] in {"has", "have"} and len(found) > 1:
        return f"is {' '.join(found[1:])} of"
    if found and found[-1] == "by" and len(found) > 1:
        return f"{' '.join(found[:-1])} for"
    return f"is the {relation} of"

"""Word a relation for people, as a phrase in the direction walked. The text that is embedded and scored stays as it is.

The commonest relations of Freebase and Wikidata have phrases of their own (``phrases.tsv``). So have some pairs
through a mediator, if the last relation alone would mislead. Other phrases are made from the name of the property,
without the type that Freebase puts before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from hydra_kg.util.package_data import table

_LEG: Final = "./"
_WITH: Final = "… "  # before a phrase that says too little without that of the leg before it
_AGAINST: Final = "← "  # before a relation whose words say nothing in the other direction
_PLURAL: Final = re.compile(r"_s\b")
_OPEN: Final = frozenset("in at from to for on with into as and or than".split())


def phrase(predicate: str, text: str) -> str:
    """Return the relation of a hop in words.

    Args:
        predicate: its key as a hop has it: ``a./b`` through a mediator, ``^a`` if it is read backward.
        text: its words for embedding, for keys that say nothing themselves.
    """
    legs = predicate.split(_LEG)
    if len(legs) == 1 or predicate in _read_curated():
        return _once(_leg(predicate, text).removeprefix(_WITH)) or text
    first, last = (_leg(leg, "") for leg in (legs[0], legs[-1]))
    first, more = first.removeprefix(_WITH), last.removeprefix(_WITH)
    if not first or not last:
        return _once(text)
    if _stem(first) == _stem(last) or (legs[-1].removeprefix("^") in _read_curated() and more == last):
        return _once(last)
    return _once(f"{first}: {more}")


def get_curated_phrase(predicate: str) -> str:
    """Return the phrase of a hop in ``phrases.tsv``, or "" if one of the hop's legs is not in it."""
    legs = predicate.split(_LEG)
    known = predicate in _read_curated() or all(leg.removeprefix("^") in _read_curated() for leg in legs)
    return phrase(predicate, "") if known else ""


def noun(predicate: str, text: str) -> str:
    """Return the name of a value, as in "3 of 28 have no …": ``date of birth``, ``height``.

    The arguments are those of :func:`phrase`.
    """
    backward = _read_curated()[predicate][True] if predicate in _read_curated() else ""
    if backward.endswith(" of"):
        return backward.removeprefix(_WITH).removesuffix(" of")
    return phrase(predicate, text)


def phrase_relation(text: str) -> str:
    """Return the phrase of a relation from its words for embedding alone (``person place of birth``)."""
    words = text.split()
    ends = (" ".join(words[n:]) for n in range(len(words)))
    return next((_index_by_text()[end] for end in ends if end in _index_by_text()), _once(text))


def relation_of(hop: Mapping[str, Any]) -> str:
    """Return the phrase of a hop in its JSON form."""
    return phrase(str(hop["predicate"]), str(hop.get("text") or hop["predicate"]))


def arrow(relation: str) -> str:
    """Return the phrase of a relation between two things, such as "— directed →".

    The arrow points left if the relation is read against its words: "← lies in —".
    """
    against = relation.removeprefix(_AGAINST)
    return f"— {relation} →" if against == relation else f"{_AGAINST}{against} —"


def linking_note(mention: Mapping[str, Any]) -> str:
    """Return how a mention was linked to its entity, or "" if by its name as written.

    ``mention`` is as in an answer's JSON.
    """
    how = (mention["chosen"] or {}).get("how", "")
    if how == "given":
        return "chosen by hand" if mention.get("start", 0) >= 0 else "added: no name in the question fits it"
    return "corrected spelling" if how in ("near", "like") else ""


def _leg(key: str, text: str) -> str:
    """Return the phrase of one predicate of a hop."""
    if _LEG in key:
        return _read_curated()[key][False]
    backward, key = key.startswith("^"), key.removeprefix("^")
    if key in _read_curated():
        return _read_curated()[key][backward]
    if "." in key and "://" not in key:
        name = _PLURAL.sub("s", key.rsplit(".", 1)[-1]).replace("_", " ").strip()
    else:
        name = text.removesuffix(" of") if backward and text.endswith(" of") else text
    return _invert_name(name) if backward and name else name


def _invert_name(name: str) -> str:
    """Return the name of a relation in the other direction."""
    words = name.split()
    if words[0] == "has" and len(words) > 1:
        return f"{' '.join(words[1:])} of"
    if words[-1] == "of" and len(words) > 1:
        return f"has the {' '.join(words[:-1])}"
    if words[-1] == "by" and len(words) > 1:
        return " ".join(words[:-1])
    return f"{_AGAINST}{name}" if words[-1] in _OPEN else f"{name} of"


def _stem(name: str) -> str:
    return name.removesuffix(" of").removesuffix("s")


def _once(text: str) -> str:
    """Return the text without repetitions of a word right after itself."""
    words = text.split()
    return " ".join(w for n, w in enumerate(words) if not n or w.strip(":") != words[n - 1].strip(":"))


@cache
def _read_curated() -> Mapping[str, tuple[str, str]]:
    return {key: (forward, backward) for key, forward, backward in table("hydra_kg", "phrases.tsv")}


@cache
def two_way_phrases() -> frozenset[str]:
    """Return the phrases of symmetric relations, which read the same from either end: "borders"."""
    return frozenset(forward for forward, backward in _read_curated().values() if forward == backward)


@cache
def _index_by_text() -> Mapping[str, str]:
    """Return phrases by type and name of the property, in the form of the words for embedding."""
    keys = [key for key in _read_curated() if "." in key and _LEG not in key]
    return {
        " ".join(key.split(".")[-2:]).replace("_", " "): _read_curated()[key][0].removeprefix(_WITH) for key in keys
    }


def relation_text(key: str) -> str:
    """Return a predicate key in words: ``people.person.place_of_birth`` becomes ``person place of birth``."""
    tail = key.rsplit("/", 1)[-1] if "://" in key else key
    return " ".join(tail.split(".")[-2:]).replace("_", " ").strip() or key

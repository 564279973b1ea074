"""Decide which end of a relation is asked for if the relation is called after a role, such as "manager"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.word_classes import BE
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import base_verbs, is_same_family, singular, stem

_ROLE: Final = ("er", "or", "ee", "ist")
"""Endings of nouns for a person who has a role."""
_INVERSE: Final = ("is", "the")
_PARTICIPLE: Final = ("ed", "en")
_NO_VERB: Final = ("er", "or", "ers", "ors", "tion")
"""Endings of nouns of a verb."""
_TYPED: Final = 3
"""Parts of a key that says the type of its subject: domain, type, relation."""
_VERB_ROLES: Final = {"author": "writer"}
"""Roles that are no form of a verb, with one that is."""


def is_role(noun: str) -> bool:
    """Return True if a noun names a person by a role, as manager, sponsor and trainee do."""
    return noun.endswith(_ROLE)


def is_form_of(word: str, noun: str) -> bool:
    """Return True if a word is a form of a role noun or of its verb: managed and manager, mentored and mentor."""
    return word.startswith(noun) or stem(word) == stem(noun) or is_same_family(word, noun)


def is_participle(word: str) -> bool:
    """Return True for a past participle: managed, written, built."""
    return word.endswith(_PARTICIPLE) or word in list_words("irregular_participle")


def asks_for_role(words: Sequence[str], at: int, *, named_before: bool, owned: bool) -> bool | None:
    """Return True if a question asks who has a role towards the named thing, False for the other end.

    "Who manages Ida?", "Ida's manager" and "who is Ida managed by" ask for the manager. "Who does Ida manage?" and
    "managed by Ida" ask for those whose manager Ida is.

    Args:
        words: The question or phrase in lower case.
        at: Place of the word that means the role or its verb.
        named_before: Whether the thing is named before that word.
        owned: Whether the word is directly owned by the thing ("Ida's manager").

    Returns:
        None if the words do not say it ("how is Ida managed").
    """
    if words[at + 1 : at + 2] == ["by"] or (words[0] == "by" and is_participle(words[at])):
        return named_before
    if is_participle(words[at]) and not BE.isdisjoint(words[:at]):
        return None
    return owned or not named_before


def contradicts_direction(phrase: str, relation: str) -> bool:
    """Return True if a relation names a role and leads to the other end than the phrase asks for.

    So does "manager" for "_ manage", and "is the manager of" for "manage _".
    """
    return _asks_against(phrase.split(), *_leads_to(relation.split()))


def contradicts_type(phrase: str, key: str) -> bool:
    """Return True if the type of a relation's subject is a role, and the phrase asks for that end.

    Who founded Ada is no ``organization_founder.organizations_founded`` of hers.
    """
    legs = key.split("./")
    first, last = legs[0].removeprefix("^").split("."), legs[-1].removeprefix("^").split(".")
    inverse = legs[-1].startswith("^")
    if inverse == (not key.startswith("^")) or min(len(first), len(last)) < _TYPED:
        return False
    role = (last if inverse else first)[-2].rpartition("_")[2]
    return is_role(role) and _asks_against(phrase.split(), _VERB_ROLES.get(role, role), inverse)


def _asks_against(words: Sequence[str], said: str, leads_to_role: bool) -> bool:
    """Return True if a phrase with a form of a role asks for the other end than a relation leads to."""
    if not said or "_" not in words:
        return False
    verb = not is_role(said)
    forms = (n for n, w in enumerate(words) if is_form_of(w, said) and not (verb and w.endswith(_NO_VERB)))
    at = next(forms, -1)
    if at < 0:
        return False
    compound = not verb and words[at - 1] == "_" and singular(words[at]) == said and said not in base_verbs()
    owned = at > 0 and (words[at - 1] == "s" or compound)  # "_ s director", "_ director"
    asked = asks_for_role(words, at, named_before=words.index("_") < at, owned=owned)
    return asked is not None and asked != leads_to_role


def _leads_to(label: Sequence[str]) -> tuple[str, bool]:
    """Return the role or participle that a label names, and whether it leads to who has the role; "" for none."""
    inverse = label[-1] == "of"
    rest = label[:-1] if inverse else label
    if rest[-1:] == ["by"] and rest[-2:-1] and rest[-2].endswith(_PARTICIPLE):
        return rest[-2], not inverse
    noun = rest[2:] if inverse and tuple(rest[:2]) == _INVERSE else [] if inverse else rest
    return (noun[0], not inverse) if len(noun) == 1 and is_role(noun[0]) else ("", False)

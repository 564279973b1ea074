"""Decide which end of a relation is asked for if the relation is called after a role, such as "manager"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Hop
from hydra_kg.extract.word_classes import BE, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import base_verbs, is_same_family, past_participle, singular, stem
from hydra_kg.language.tokens import last_question
from hydra_kg.text.folding import fold

_ROLE: Final = ("er", "or", "ee", "ist")
"""Endings of nouns for a person who has a role."""
_INVERSE: Final = ("is", "the")
_PARTICIPLE: Final = ("ed", "en")
_NO_VERB: Final = ("er", "or", "ers", "ors", "tion")
"""Endings of nouns of a verb."""
_SUBJECT, _OTHER, _ENDS = "_s", "_o", 2
"""Signs for the two ends of a statement in a question, and their number."""
_AGENT: Final = {"by": _OTHER, "for": _SUBJECT}
"""End that did what a participle with such a word names: written by, written for."""
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
    """Return True for a past participle: managed, written, built, taught."""
    return word.endswith(_PARTICIPLE) or word in list_words("irregular_participle") or past_participle(word) == word


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


def turns_round(question: str, subject: str, text: str, other: str) -> bool:
    """Return True if a question asks whether one thing did to another what is stated the other way round.

    "Was Ann founded by Acme?" turns round that Acme (``subject``) was "founded by" (``text``) Ann (``other``). All
    texts are in lower case. Return False where the words leave it open, or the relation holds both ways (partner).
    """
    words = _marked(_marked(question.split(), subject.split(), _SUBJECT), other.split(), _OTHER)
    core, stated = _agent_of(text.split())
    at = next((n for n, w in enumerate(words) if core and w not in (_SUBJECT, _OTHER) and is_form_of(w, core)), -1)
    if at < 0 or core in list_words("mutual") or words.count(_SUBJECT) + words.count(_OTHER) != _ENDS:
        return False
    before, after = ([w for w in part if w in (_SUBJECT, _OTHER)] for part in (words[:at], words[at + 1 :]))
    if words[at + 1 : at + 2] == ["by"]:
        asked = after[:1]
    elif words[at + 1 : at + 2] == ["of"]:
        asked = [w for w in (_SUBJECT, _OTHER) if w not in after[:1]]
    elif words[at - 1] == "s":
        asked = [w for w in (_SUBJECT, _OTHER) if w not in before[-1:]]
    else:
        asked = before if len(before) == 1 and BE.isdisjoint(words[:at]) else []
    return asked != [] and asked[0] != stated


def _marked(words: Sequence[str], name: Sequence[str], sign: str) -> list[str]:
    """Return words with a sign for the longest part of a name that they say; a title may say more than its name."""
    for length in range(len(name), 0, -1):
        for first in range(len(name) - length + 1):
            part = list(name[first : first + length])
            at = next((n for n in range(len(words)) if list(words[n : n + length]) == part), -1)
            if at >= 0 and not list_words("function_word").issuperset(part):
                return [*words[:at], sign, *words[at + length :]]
    return list(words)


def states_converse(question: str, hop: Hop) -> bool:
    """Return True if a hop states the converse of what a yes-or-no question asks (:func:`turns_round`)."""
    inverse = hop.predicate.startswith("^") and hop.text.endswith(" of")
    subject, other = (hop.object, hop.subject) if inverse else (hop.subject, hop.object)
    text = hop.text.removesuffix(" of") if inverse else hop.text
    return turns_round(plain_question(question), fold(subject.name), fold(text), fold(other.name))


def plain_question(question: str) -> str:
    """Return the last question of a text in lower case, with the possessive "s" as a word."""
    return fold(last_question(question)).replace("'s", " s")


def _agent_of(label: Sequence[str]) -> tuple[str, str]:
    """Return the verb or role that a label names, and which end does it or has it; "" if it does not say so.

    So does the other end for "founded by" and "manager", the subject for "owns", "founded" and "mentor of".
    """
    if label[1:] and label[-1] in _AGENT and is_participle(label[-2]):
        return label[-2], _AGENT[label[-1]]
    if label[1:] and label[-1] == "of":
        return label[-2], _SUBJECT
    if len(label) == 1 and is_role(label[0]):
        return label[0], _OTHER
    return (label[0], _SUBJECT) if label and kind(label[0]) == VERB else ("", "")


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
    """Return the role or verb that a label names, and whether it leads to who has the role or does it; "" for none."""
    inverse = label[-1] == "of"
    rest = label[:-1] if inverse else label
    if rest[1:] and rest[-1] in _AGENT and is_participle(rest[-2]):
        return rest[-2], (_AGENT[rest[-1]] == _OTHER) != inverse
    if len(rest) == 1 and rest[0].endswith("s") and kind(rest[0]) == VERB and stem(rest[0]) not in list_words("mutual"):
        return rest[0], inverse
    noun = rest[2:] if inverse and tuple(rest[:2]) == _INVERSE else [] if inverse else rest
    return (noun[0], not inverse) if len(noun) == 1 and is_role(noun[0]) else ("", False)

"""The grammar's knowledge of English words: its tables, and the forms of regular verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, Literal, cast

from hydra_kg.extract import word_classes as english
from hydra_kg.extract.word_classes import PREPOSITIONS, kind
from hydra_kg.language.adjectives import graded_adjectives
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import regular_forms, singular_candidates
from hydra_kg.plan.model import Order, ValueKind
from hydra_kg.util.fast_dataclass import dataclass

BE, HAVE, DO = english.BE, english.HAVE, english.DO
MODAL: Final = frozenset("will would can could".split())
AUXILIARIES: Final = BE | HAVE | DO | MODAL
WH: Final = english.ASKING
ADVERBS: Final = list_words("adverb_of_questions")
NEGATIONS: Final = frozenset("not never".split())
PLACING: Final = PREPOSITIONS | {"out", "off", "up", "down", "away"}
CLOSED: Final = AUXILIARIES | WH | NEGATIONS | PLACING | list_words("closed")
"""Function words, which name nothing."""

NUMBER_OF: Final = "number of "
"""Beginning of the name of an attribute that states a number of things."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A comparable property of things.

    attribute: wordings of the property, best first.
    order: the end of the order that the superlative means.
    """

    attribute: str
    kind: ValueKind
    order: Order = "max"

    def turned(self) -> Measure:
        """Return the measure in the other order: "least populous"."""
        return Measure(self.attribute, self.kind, "min" if self.order == "max" else "max")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the tables, with the dates that it implies.

    own: the date of the thing that does or undergoes it, or "".
    made: the date of the thing that is made by it, or "".
    """

    lemma: str
    form: Literal["base", "s", "ed", "en", "ing"]
    own: str = ""
    made: str = ""


def verb(word: str) -> Verb | None:
    """Return the verb of which a word is a form, or None if it is not in the tables."""
    return _verbs().get(word)


def verbs(word: str) -> tuple[Verb, ...]:
    """Return all verbs of which a word is a form ("found"), in the order of the tables."""
    return _all_verbs().get(word, ())


def is_noun(word: str) -> bool:
    """Return True if a word may be part of a noun phrase.

    It is no function word, no number, and no form that only a verb has.
    """
    if word in CLOSED or not word[:1].isalpha():
        return False
    if superlative(word) or comparative(word):
        return False
    found = verb(word)
    if found is None:
        return kind(word) not in "APCXR" or word in {"vice"}
    return found.form in {"base", "s"} and found.lemma not in list_words("never_noun")


def is_verb(word: str, *, lenient: bool = False) -> bool:
    """Return True if a word may be a verb.

    lenient: accept a word that is in no table, where a verb is expected.
    """
    return word not in CLOSED and word[:1].isalpha() and (verb(word) is not None or kind(word) == "V" or lenient)


def ends_in_verb(nouns: Sequence[str]) -> bool:
    """Return True if the last word of a noun phrase is more likely its verb: "rivers flow", "countries border"."""
    form = verb(nouns[-1]) if len(nouns) > 1 and nouns[-2].endswith("s") else None
    return form is not None and form.form == "base"


def looks_like_verb(word: str) -> bool:
    """Return True if a word that is in no table may be a verb in the third person."""
    return word.endswith("s") and not word.endswith("ss") and is_verb(word, lenient=True)


@cache
def measures() -> Mapping[str, Measure]:
    """Return the measures by the nouns that name them."""
    return {w: Measure(a, cast(ValueKind, k)) for w, a, k in lexicon_table("measures")}


def superlative(word: str) -> Measure | None:
    """Return the measure by which a superlative such as "tallest" orders, or None."""
    return _adjectives()[2].get(word)


def comparative(word: str) -> Measure | None:
    """Return the measure that a comparative such as "taller" compares, or None."""
    return _adjectives()[1].get(word)


def adjective(word: str) -> Measure | None:
    """Return the measure that an adjective such as "tall", "populous" or "grossing" describes, or None."""
    return _adjectives()[0].get(word)


def order_in_time(noun: str) -> str:
    """Return the attribute by which "the first …" orders things of a noun."""
    last = noun.rsplit(maxsplit=1)[-1] if noun else ""
    return next((_times()[w] for w in singular_candidates(last) if w in _times()), ANY_DATE)


ANY_DATE: Final = "start date; release date; date; date founded; inception"


def is_office(noun: str) -> bool:
    """Return True if a noun names an office that a person has for a time: "president"."""
    return order_in_time(noun).startswith("start date; took office")


def is_made(noun: str) -> bool:
    """Return True if things of a noun have a release date."""
    return order_in_time(noun).startswith("release date")


def is_founded(noun: str) -> bool:
    """Return True if things of a noun begin by being founded: "company"."""
    return bool(list_words("founded") & set(singular_candidates(noun.rsplit(maxsplit=1)[-1] if noun else "")))


def is_town(noun: str) -> bool:
    """Return True if a noun names places that people call large for their number of inhabitants."""
    return bool(list_words("town") & set(singular_candidates(noun.rsplit(maxsplit=1)[-1] if noun else "")))


def is_common(text: str) -> bool:
    """Return True if a text ends in a common noun: "boarding school"."""
    last = text.casefold().split()[-1:]
    ones = {s for w in last for s in singular_candidates(w)}
    return bool(ones & (list_words("common naming_place adjective_place") | _times().keys()))


@lru_cache(maxsize=1 << 12)
def event(words: tuple[str, ...]) -> str:
    """Return the date on which a verb happened, best wording first, or "".

    words: the verb, with its particle or noun.
    """
    found = _all_verbs().get(words[0], ()) if words else ()
    if len(words) == 1:
        return next((v.own for v in found if v.own), "")
    return next((_events()[k] for v in found if (k := " ".join([v.lemma, *words[1:]])) in _events()), "")


@cache
def value_words() -> frozenset[str]:
    """Return every word by which the tables name a value, such as "release", "date" or "population"."""
    named = [m.attribute for found in _adjectives() for m in found.values()]
    named += [text for word, m in measures().items() for text in (word, m.attribute)]
    named += [text for found in _all_verbs().values() for v in found for text in (v.own, v.made)]
    named += [*_events().values(), *_times().values(), ANY_DATE]
    return frozenset(w for text in named for w in text.replace(";", " ").split())


def event_of(words: Sequence[str], *, passive: bool) -> str:
    """Return the date of a verb with its particle, or "".

    In the passive it may also be the date of the thing that is made: "was written".
    """
    made = verb(words[0]) if passive and len(words) == 1 else None
    return event(tuple(words)) or (made.made if made else "")


@cache
def _events() -> Mapping[str, str]:
    return dict(lexicon_table("events"))


@cache
def _adjectives() -> tuple[dict[str, Measure], dict[str, Measure], dict[str, Measure]]:
    forms: tuple[dict[str, Measure], dict[str, Measure], dict[str, Measure]] = ({}, {}, {})
    for one in graded_adjectives():
        what = Measure("; ".join(one.measures), one.kind, one.order)
        for found, word in zip(forms, one.forms, strict=True):
            found.setdefault(word, what)
    return forms


@cache
def _times() -> Mapping[str, str]:
    return {noun: attribute for attribute, nouns in lexicon_table("order_in_time") for noun in nouns.split()}


@cache
def _verbs() -> Mapping[str, Verb]:
    return {word: found[0] for word, found in _all_verbs().items()}


def inflected(lemma: str, form: Literal["s", "ed"]) -> str:
    """Return a verb in the third person or in the past: "write" → "writes", "wrote"."""
    known = (word for word, some in _all_verbs().items() if any(v.lemma == lemma and v.form == form for v in some))
    return next(known, regular_forms(lemma)[0 if form == "s" else 1])


@cache
def _all_verbs() -> Mapping[str, tuple[Verb, ...]]:
    found: dict[str, tuple[Verb, ...]] = {}
    for lemma, past, participle, own, made in lexicon_table("verbs"):
        regular = regular_forms(lemma)
        forms = {"base": lemma, "s": regular[0], "ed": regular[1] if past == "-" else past, "ing": regular[2]}
        forms["en"] = forms["ed"] if participle == "-" else participle
        for form, word in forms.items():
            one = Verb(lemma, cast(Literal["base", "s", "ed", "en", "ing"], form), own.strip("-"), made.strip("-"))
            if all(v.lemma != lemma for v in found.get(word, ())):
                found[word] = (*found.get(word, ()), one)
    return found

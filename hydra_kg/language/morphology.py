"""Compute forms of English words: singular and plural, verb forms, and the common part of a word family.

The rules are written by hand: docs/adr/0001-dependencies.md says what a stemmer library would lose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table

_VOWELS: Final = frozenset("aeiou")
_SIBILANTS: Final = ("sses", "ches", "shes", "xes", "zzes")
_SUFFIXES: Final = (
    "ations ation ators ator ings ing ments ment ions ion ers er ors or ed ees ee ives ive ance ence ies y es s e"
).split()
_OF_VERBS: Final = ("e", "es", "ed", "ing")
_LEAST: Final = 3
_ALTERNATIONS: Final = (("miss", "mit"), ("cis", "cid"))
"""Stems of nouns in -ion and of their verbs: admission, admit; decision, decide."""
"""Letters that remain of a word whose suffix is cut off."""
_SHORT: Final = 4
"""Letters of a word that is too short for an ending of a verb to have been removed."""


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """Return a noun in lower case without the ending of the plural."""
    if (known := _plurals().get(word)) is not None:
        return known
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(_SIBILANTS):
        return word[:-2]
    if len(word) > 4 and word.endswith("uses") and word[-5] not in _VOWELS:
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def singular_in_lines(lines: str) -> str:
    """Return folded ASCII text of many lines with :func:`singular` of each word."""
    return _may_be_plural().sub(lambda word: singular(word[0]), lines)


@cache
def _may_be_plural() -> re.Pattern[str]:
    """Return the pattern of words that end in s, or are plurals without it: children, data."""
    others = sorted(word for word in _plurals() if not word.endswith("s") and word.isascii() and word.isalnum())
    return re.compile(rf"\b(?:[0-9a-z]*s|{'|'.join(others)})\b")


@cache
def abbreviations() -> dict[str, tuple[str, ...]]:
    """Return the words that each abbreviation of headings stands for: "dob" is "date", "of" and "birth"."""
    return {short: tuple(long.split()) for short, long in lexicon_table("abbreviations")}


def plural(noun: str) -> str:
    """Return a noun phrase in lower case and in the plural: person → people, Order item → order items."""
    *before, last = noun.lower().split(" ")
    many = next((many for many, one in _plurals().items() if one == last), "")
    if not many and singular(last) == last:
        many = f"{last[:-1]}ies" if last.endswith("y") and last[-2:-1] not in _VOWELS else f"{last}{_ending(last)}"
    return " ".join([*before, many or last])


def _ending(noun: str) -> str:
    return "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"


def singular_candidates(word: str) -> tuple[str, ...]:
    """Return a word and possible singulars of it, whether or not they are words."""
    return (
        word,
        word.removesuffix("s"),
        word.removesuffix("es"),
        word.removesuffix("ies") + "y",
        word.removesuffix("ves") + "fe",
        word.replace("children", "child"),
        word.replace("men", "man"),
    )


def is_plural(noun: str) -> bool:
    """Return True if a noun phrase is in the plural."""
    last = noun.rsplit(maxsplit=1)[-1] if noun else ""
    return last in {"children", "people", "men", "women"} or (
        last.endswith("s") and not last.endswith(("ss", "series"))
    )


def regular_forms(verb: str) -> tuple[str, str, str]:
    """Return the forms in -s, -ed and -ing of a regular verb; for one or two letters, only the endings are added."""
    if len(verb) < _LEAST:
        return f"{verb}s", f"{verb}ed", f"{verb}ing"
    consonant_y = verb.endswith("y") and verb[-2] not in _VOWELS
    s = verb[:-1] + "ies" if consonant_y else verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    short = verb[:-1] if verb.endswith("e") else verb
    closed = verb[-1] not in _VOWELS | set("wxy") and verb[-2] in _VOWELS and verb[-3:-2] not in _VOWELS
    doubles = closed and len(verb) in {3, 4} and verb[0] not in _VOWELS
    doubled = short + verb[-1] if doubles or verb in {"control", "occur", "commit", "begin"} else short
    ed = verb[:-1] + "ied" if consonant_y else doubled + "ed"
    return s, ed, (verb if verb.endswith("ee") else doubled) + "ing"


def past_participle(form: str) -> str:
    """Return the past participle of a verb in the past or in -s: wrote → written, plays → played; else ""."""
    if form in base_verbs():
        return ""
    base = _verb_forms().get(form, form.removesuffix("s"))
    if (known := _participles().get(base)) is not None:
        return known
    if form.endswith("s"):
        return regular_forms(form[:-3] + "y" if form.endswith("ies") else base)[1]
    return form if form.endswith("ed") else ""


@lru_cache(maxsize=1 << 15)
def stem(low: str) -> str:
    """Return a lower-case word without verb and plural endings and final e; "founder" differs, see ``family_stem``."""
    if (known := _base_forms().get(low)) is not None:
        return known.removesuffix("e") if len(known) >= _SHORT else known
    if len(low) < _SHORT or not low.isalpha():
        return low
    for ending, instead in (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if low.endswith(ending) and len(low) > len(ending) + 1:
            return low[: -len(ending)] + instead
    for ending in ("ing", "ed"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            short = low[: -len(ending)]
            if not set(short) & {*_VOWELS, "y"}:
                return low
            doubled = short[-1] == short[-2] and short[-1] in "bdgmnprt"
            return short[:-1] if doubled else short.removesuffix("e")
    if low.endswith("s") and not low.endswith(("ss", "us", "is")):
        low = low[:-1]
    return low.removesuffix("e") if len(low) >= _SHORT else low


@lru_cache(maxsize=1 << 16)
def family_stem(word: str) -> str:
    """Return the common part of a word family: act, acted, actor, actors; direct, director; operates, operator."""
    word = _family_forms().get(word, word)
    for suffix in _SUFFIXES:
        ending = word.endswith(suffix) and not (suffix == "y" and word[-2:-1] in _VOWELS)  # survey, play: surveyed
        if ending and len(word) - len(suffix) >= _LEAST:
            word = word[: -len(suffix)]
            if suffix in _OF_VERBS and len(word) > 4 and word.endswith("at") and word[-3] not in "eo":
                word = word[:-2]  # operates, operated: as operator and operation
            for noun, verb in _ALTERNATIONS if suffix in ("ion", "ions") else ():
                word = word[: -len(noun)] + verb if word.endswith(noun) and len(word) > len(noun) else word
            break
    if len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word[:-1] if len(word) > _LEAST and word[-1] in "ei" else word


def is_same_family(one: str, other: str) -> bool:
    """Return True if two words are of one family, alone or as the end of a compound: screenwriter, writer.

    A winemaker made wine; what is accompanied is no company.
    """
    a, b = family_stem(one), family_stem(other)
    if a == b:
        return True
    last, short = (a, b) if len(a) > len(b) else (b, a)
    doer = len(short) == _LEAST and f"{short}er" in (one[-_LEAST - 2 :], other[-_LEAST - 2 :])
    return len(last) - len(short) >= _LEAST and last.endswith(short) and (doer or len(short) > _LEAST)


@cache
def _forms(kind: str) -> Mapping[str, str]:
    """Return the base form of each irregular form of a kind."""
    rows = lexicon_table("irregular_forms")
    return {form: form if base == "-" else base for what, base, forms in rows if what == kind for form in forms.split()}


@cache
def base_verbs() -> frozenset[str]:
    """Return the verbs of the lexicon in their base form."""
    return frozenset(row[0] for row in lexicon_table("verbs"))


@cache
def _verb_forms() -> Mapping[str, str]:
    """Return the base form of each irregular form of a verb. If two verbs share a form, the first one counts."""
    found = dict(_forms("verb"))
    for base, past, participle, *_ in lexicon_table("verbs"):
        for form in {past, participle} - {"-"}:
            found.setdefault(form, base)
    return found


@cache
def _participles() -> Mapping[str, str]:
    """Return the past participle of each verb of the lexicon by its base form."""
    return {
        base: regular_forms(base)[1] if participle == "-" else participle
        for base, _, participle, *_ in lexicon_table("verbs")
    }


@cache
def _base_forms() -> Mapping[str, str]:
    adjectives = lexicon_table("adjectives")
    compared = {form: base for base, more, most, *_ in reversed(adjectives) for form in (more, most)}
    return {**compared, **_verb_forms(), **_nouns(), **_forms("same")}


@cache
def _family_forms() -> Mapping[str, str]:
    nouns = {f"{noun}{end}": noun.removesuffix("al") for noun in _forms("al") for end in ("", "s")}
    return {**_verb_forms(), "found": "found", **_plurals(), **_forms("schema"), **nouns}


@cache
def _nouns() -> Mapping[str, str]:
    ends = {**{many: many[:-1] for many in _forms("ie")}, **{many: many[:-2] for many in _forms("oe")}}
    return {**_forms("noun"), **ends}


@cache
def _plurals() -> Mapping[str, str]:
    return {**_nouns(), **_forms("person")}

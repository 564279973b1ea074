"""Find relations between two names of a sentence by strict rules: precision before recall.

The phrase is a verb, a verb up to a preposition, or "is a … of" (V | V P | V W* P of Fader, Soderland, Etzioni 2011,
§3.1). The subject comes first or is described by an apposition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Relation
from hydra_kg.extract.word_classes import NAME, is_agent, kind
from hydra_kg.language.dates import MONTHS
from hydra_kg.language.lexicon import list_words
from hydra_kg.util.fast_dataclass import dataclass

MOST_WORDS: Final = 14

CONFIDENCE: Final = {"verb": 0.9, "noun": 0.9, "list": 0.85, "further": 0.8, "apposition": 0.85}
"""About how often a relation of each form is right, as judged by hand (docs/extraction.md)."""

_WORD: Final = re.compile(r"[^\W_]+(?:[-'’.&/][^\W_]+)*\.?|&")
_MONTH: Final = "|".join(MONTHS)
_DATE: Final = re.compile(
    rf"(?:,? ?\b(?:on|in|since|from|until|by|around|circa|c\.) )?(?:the )?(?:early |late |mid-?)?"
    rf"(?:\b[0-9]{{1,2}} (?:{_MONTH})(?: [0-9]{{4}})?|\b(?:{_MONTH})(?: [0-9]{{1,2}})?,?(?: [0-9]{{4}})?"
    r"|\b[12][0-9]{3}s?\b)"
    r"(?:[–-][0-9]{2,4})?,?"
)
_DATED: Final = re.compile("[0-9]|[JFMASOND][aecopu]")  # what every date holds, found faster than dates
_MARK: Final = re.compile(r"[,;:()\"“”–—!?]")
_OPENING: Final = re.compile(
    r"^, (?:who|which) (?=[a-z])|^, (?=(?:located|situated|based|born|founded|directed|written|produced) )"
)
_ASIDE: Final = re.compile(r"\s?\([^()]{0,200}\)")
_INTRO: Final = re.compile(
    rf"[\"“'(]?(?:(?:In|On|During|By|Since|From|Around) (?:the )?(?:early |late |mid-?|spring of |summer of )?"
    rf"(?:[0-9]{{1,2}} )?(?:(?:{_MONTH}) )?(?:[0-9]{{1,2}}, )?(?:[0-9]{{4}}s?),? |Later,? |Then,? )?(?:[Tt]he )?[\"“']?"
)
_AFTER: Final = re.compile(
    r"(?!, ?(?:Jr|Sr)\b)[\"”']?(?: \([^()]{0,200}\))?(?:$|[.,;:)!?]|\s[–—-]\s"
    r"| (?:and|or|in|on|at|from|to|with|by|as|for|during|after|before|until|since|when|where"
    r"|which|who|that|while|but|is|was|are|were|has|had|under|through|near|between|because|along|alongside|against|via|into|over)\b)"
)
_LIST: Final = re.compile(
    r"[\"”']?(?: \([^()]{0,60}\))?(?:, and|, or|,| and| or| &|, as well as| as well as) (?:the )?[\"“']?"
)
_APPOSITION: Final = re.compile(r", (?=(?:a|an|the) )")

# Class strings (see words.py): the phrase of a verb, of a noun, and of a participle within "is a film directed by".
_VERB_PHRASE: Final = re.compile(r"R*A*R*(?:VC)?V(?:R*D?N{0,3}R*P){0,2}D?")
_NOUN_PHRASE: Final = re.compile(r"A*R*D[NKR#CV]*?(?P<head>N)(?P<rest>P(?:D?N{1,2}P)?)D?")
_PARTICIPLE: Final = re.compile(r"A*R*D[NKR#C]*N(?P<head>(?:VC)?V)(?P<rest>R*P?)D?")
_FURTHER: Final = re.compile(r"C?R*(?P<aux>A*)R*(?P<verb>V)(?P<rest>(?:R*D?N{0,2}R*P){0,2})D?")
_BY: Final = frozenset({"by", "on", "from", "in"})
_STARRING: Final = frozenset({"starring", "featuring"})
_MORE: Final = re.compile(r" (?:to|with|as|for|from|into)\b")  # "provides [Egypt] with": not the whole object
_OF_WORDS: Final = list_words("about_words")
_PLACES: Final = frozenset({"in", "at", "from", "near"})
_AHEAD: Final = 300
_ENDING: Final = re.compile(
    r"[\"”]?(?: \([^()]{0,60}\))?(?:, [^,.;]{1,60}){0,12},? (?:and|or|&|as well as) (?:the )?[\"“]?[A-Z]"
)
_ENUMERATED: Final = re.compile(r"(?:[,&]|\band|\bor|\bof|\bwith)(?: the)? [\"“]?$")
_CLOSED: Final = re.compile(r"[\"”]?(?: \([^()]{0,200}\))?(?:$|[.,;)])")


@dataclass(frozen=True, slots=True)
class _Phrase:
    text: str
    form: str
    chain: bool = False  # "is a film directed by": more participles of the same subject may follow
    bare: bool = False  # a verb without preposition: "provides"


class RelationExtractor:
    """Finds relations that the rules are sure of (port Extractor)."""

    def paths(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> list[tuple[int, str, int]]:
        return [(r.subject, r.phrase, r.object) for r in self.relations(sentence, mentions)]

    def relations(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> list[Relation]:
        places = _disjoint(mentions)
        if len(places) < 2:
            return []
        found: list[Relation] = []
        first = places[0]
        subject = first if _INTRO.fullmatch(sentence, 0, first[0]) else None
        last: tuple[int, _Phrase] | None = None  # place of the last object of the subject, and how it was reached
        for k in range(1, len(places)):
            here = places[k]
            if subject is None and not sentence.startswith(", ", places[k - 1][1]):
                continue  # neither a subject nor an apposition
            if not _is_object(sentence, here):
                if last is not None and last[0] == k - 1 and _LIST.fullmatch(sentence, places[k - 1][1], here[0]):
                    last = None
                continue
            between = sentence[places[k - 1][1] : here[0]]
            if subject is not None:
                phrase = _next(last, k, between, sentence[here[1] : here[1] + _AHEAD]) if last is not None else None
                if phrase is None and last is None:
                    phrase = _direct(sentence[subject[1] : here[0]])
                if phrase is not None and not (phrase.bare and _MORE.match(sentence, here[1])):
                    last = (k, phrase)
                    if subject[2] != here[2]:
                        found.append(_relation(subject, phrase, here))
                    continue
            phrase = _described(sentence, places[k - 1], here)
            if phrase is not None and places[k - 1][2] != here[2]:
                found.append(_relation(places[k - 1], phrase, here))
        return found


def _relation(subject: tuple[int, int, int], phrase: _Phrase, obj: tuple[int, int, int]) -> Relation:
    return Relation(
        subject[2], phrase.text, obj[2], min(subject[0], obj[0]), max(subject[1], obj[1]), CONFIDENCE[phrase.form]
    )


def _disjoint(mentions: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return mentions in order; of overlapping ones, keep the first and longest."""
    disjoint: list[tuple[int, int, int]] = []
    for m in sorted(mentions, key=lambda m: (m[0], -m[1])):
        if m[0] < m[1] and (not disjoint or m[0] >= disjoint[-1][1]):
            disjoint.append(m)
    return disjoint


def _is_object(sentence: str, place: tuple[int, int, int]) -> bool:
    """Return whether a mention is a name that refers to the thing itself: not "[American] actor", "[Paris]'s mayor"."""
    start, end, _ = place
    name = sentence[start:end]
    capital = name[:1].isupper() or any(c.isupper() for c in name)
    return capital and name[:1] not in "'’" and _AFTER.match(sentence, end) is not None


def _next(last: tuple[int, _Phrase], k: int, between: str, after: str) -> _Phrase | None:
    """Return the phrase for an object that follows another one of the same subject."""
    before, phrase = last
    if before != k - 1:
        return None
    if _LIST.fullmatch(between):
        bare = " and" not in between and " or" not in between and "&" not in between
        if bare and phrase.text.rpartition(" ")[2] not in _PLACES and not _ENDING.match(after):
            return None  # "capital of Lombardy, Italy"
        return _Phrase(phrase.text, "list" if phrase.form != "further" else "further", phrase.chain)
    text = _without_asides(between).lstrip("\"”'")
    comma = text.startswith(",")
    classes, words = _classes(_without_dates(text.lstrip(", ")))
    m = _FURTHER.fullmatch(classes)
    if m is None:
        return None
    joined = classes.startswith("C")
    verb, rest = m.start("verb"), m.end("rest")
    participle = not m["aux"] and words[rest - 1] in _BY
    if not (joined or (phrase.chain and participle) or (comma and phrase.chain and words[verb] in _STARRING)):
        return None
    return _Phrase(_text(words, m.start("aux"), rest, classes), "further", phrase.chain)


def _described(sentence: str, named: tuple[int, int, int], here: tuple[int, int, int]) -> _Phrase | None:
    """Return an apposition's phrase ("Ottawa, the capital of Canada,"), not for lists and addresses."""
    between = sentence[named[1] : here[0]]
    m = _APPOSITION.match(between)
    if m is None or _ENUMERATED.search(sentence, 0, named[0]) or not _CLOSED.match(sentence, here[1]):
        return None
    text = between[m.end() :]
    if NAME in map(kind, _WORD.findall(text)):
        return None
    return _direct(f"is {text}", apposition=True)


def _direct(between: str, *, apposition: bool = False) -> _Phrase | None:
    """Return the phrase that leads from a subject to its first object."""
    if between[:2] in {"'s", "’s"} or between[:1] in {"'", "’", "-"}:
        return None
    text = _without_dates(_without_asides(between)).lstrip('"”')
    classes, words = _classes((_OPENING.sub("", text) if text.startswith(", ") else text).strip())
    if not words:
        return None
    classes, words = _without_agent(classes, words)
    if m := _PARTICIPLE.fullmatch(classes):
        rest = m.end("rest")
        if words[rest - 1].lower() in _BY | {"with", "for", "at", "to", "as"} or words[m.end("head") - 1] in _STARRING:
            return _Phrase(_text(words, m.end("head") - 1, rest, classes), "apposition" if apposition else "noun", True)
        return None
    if m := _NOUN_PHRASE.fullmatch(classes):
        if classes[0] != "A" or "between" in words or words[m.start("head")] in _OF_WORDS:
            return None
        text = _text(words, m.start("head"), m.end("rest"), classes)
        if "capital" in words[: m.start("head")]:  # "is the capital and largest city of"
            text = " ".join(["capital", *text.split(" ")[1:]])
        return _Phrase(text, "apposition" if apposition else "noun", True)
    if not apposition and _VERB_PHRASE.fullmatch(classes) and "between" not in words:
        return _Phrase(_text(words, 0, len(words), classes), "verb", bare=classes.rstrip("D")[-1] == "V")
    return None


def _without_asides(text: str) -> str:
    return _ASIDE.sub("", text) if "(" in text else text


def _without_dates(text: str) -> str:
    return _DATE.sub(" ", text) if _DATED.search(text) else text


def _without_agent(classes: str, words: list[str]) -> tuple[str, list[str]]:
    """Drop the description of the name that follows, as in "directed by American filmmaker"."""
    if classes[-1] != "N" or not is_agent(words[-1]):
        return classes, words
    end = len(classes) - 1
    while end and classes[end - 1] in "NKC":
        end -= 1
    if end and classes[end - 1] == "D":
        end -= 1
    if end and classes[end - 1] in "PV":
        return classes[:end], words[:end]
    return classes, words


def _classes(text: str) -> tuple[str, list[str]]:
    """Return one letter for each word, and the words.

    Both are empty if there are too many words, or punctuation, which no phrase may cross.
    """
    words = [] if _MARK.search(text) else _WORD.findall(text)
    return ("".join(map(kind, words)), words) if len(words) <= MOST_WORDS else ("", [])


def _text(words: Sequence[str], start: int, end: int, classes: str) -> str:
    """Return the phrase as a predicate in lower case.

    Adverbs, a determiner at the end and an auxiliary before "… by" are left out.
    """
    content = [(w.lower(), c) for w, c in zip(words[start:end], classes[start:end], strict=True) if c not in "R"]
    while content and content[-1][1] == "D":
        content.pop()
    while content and content[0][1] == "C":
        content.pop(0)
    if content and content[-1][1] == "P":
        while len(content) > 1 and content[0][1] == "A" and content[1][1] in "AVD":
            content.pop(0)
    return " ".join(w for w, _ in content)

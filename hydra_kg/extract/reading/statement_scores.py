"""Score from 0 to 1 how plainly a sentence states a value. Places of asked word and value are (first, last)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.extract.reading.page import Page
from hydra_kg.extract.reading.page_question import BE
from hydra_kg.extract.word_classes import AUXILIARY, NAME, NOUN, PREPOSITION, RELATIVES, VERB, kind
from hydra_kg.language.dates import month_number
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token

Span = tuple[int, int]

BREAKS: Final = frozenset({";", ":", "but", "while", "whereas", "because", "although", "though", "when"}) | RELATIVES
_BY: Final = frozenset({"by", "of", "from"})
_BECOMING: Final = list_words("becoming_stem")
_PLACING: Final = list_words("before_place")
_DESCRIBING: Final = 7  # words between "by" and a name: "by the oceanographer and former student"
_DATING: Final = list_words("season date_noun dating_noun")
_AMONG: Final = list_words("some_of_several")
_LABEL: Final = 6  # tokens at the beginning of a line among which a label ends
_FAR: Final = 24  # tokens beyond which nothing hangs together


def between(tokens: Sequence[Token], a: Span, b: Span) -> Sequence[Token]:
    """Return the tokens between two spans, whichever comes first."""
    return tokens[a[1] + 1 : b[0]] if a[1] < b[0] else tokens[b[1] + 1 : a[0]]


def _verbs(tokens: Sequence[Token]) -> int:
    return sum(kind(t.text) == VERB and not t.capital for t in tokens)


def _breaks(tokens: Sequence[Token]) -> int:
    return sum(t.low in BREAKS for t in tokens)


def _plain(tokens: Sequence[Token]) -> bool:
    """Return whether the tokens only describe a noun: no verb, no preposition but "of", no punctuation but a comma."""
    return all(
        (t.word and kind(t.text) not in {AUXILIARY, PREPOSITION, VERB} and t.low not in BREAKS)
        or t.text in {",", "(", '"', "-", "&"}
        or t.low in {"of", "'s"}
        for t in tokens
    )


def doer(tokens: Sequence[Token], verb: Span, name: Span, page: Page, focus: frozenset[str]) -> float:
    """Score a name as the one who did it: "built by the engineer _", "_ founded the company", "the work of _"."""
    inside = between(tokens, verb, name)
    if len(inside) > _FAR:
        return 0.0
    if verb[1] < name[0]:
        if tokens[verb[1]].low in _BY:
            said = verb[0] > 1 and tokens[verb[0] - 2].low in BE | {"to", ","}  # "is the work of", "to the plans of"
            return 1.0 if said and _plain(inside) and len(inside) <= _DESCRIBING else 0.0
        by = next((i for i, t in enumerate(inside) if t.low == "by"), -1)
        if by < 0:
            return 0.0
        before, after = inside[:by], inside[by + 1 :]
        if _breaks(before) or _verbs(before) > 0 or not _plain(after) or len(after) > _DESCRIBING:
            return 0.0
        if before and kind(before[-1].text) == NOUN and before[-1].low not in _DATING and not before[-1].capital:
            return 0.5  # "composed to a libretto by _"
        return 1.0 if len(before) <= 10 else 0.8
    if (
        _breaks([t for t in inside if t.low != "who"])
        or _verbs(inside)
        or any(t.low in {"by", "be", "been"} for t in inside)
    ):
        return 0.0
    if any(t.low in BE for t in inside) or len([t for t in inside if t.word]) > 8:
        return 0.0  # "_ was founded" is about what was done to it
    if tokens[verb[0] - 1].low == "to":
        return 0.0  # "who wanted to discover"
    if name[0] and (kind(tokens[name[0] - 1].text) == PREPOSITION and tokens[name[0] - 1].low != "when"):
        return 0.0
    rest = tokens[verb[1] + 1 : verb[1] + 9]
    stop = next((i for i, t in enumerate(rest) if t.text in {";", "."} or t.low in BREAKS), len(rest))
    direct = rest[:stop]
    said = page.mentioned(tokens, verb[1] + 1, verb[1] + stop) or any(t.stem in focus for t in direct)
    return 0.93 if said else 0.3


def done_to(tokens: Sequence[Token], verb: Span, name: Span) -> float:
    """Score a name as the object of the verb: "married the geologist _", "studied at _"."""
    inside = between(tokens, verb, name)
    if name[0] <= verb[1] or len(inside) > _DESCRIBING or _breaks(inside) or _verbs(inside):
        return 0.0
    if any(t.low == "by" for t in inside):
        return 0.0
    if _plain(inside[1:] if inside and kind(inside[0].text) == PREPOSITION else inside):
        return 1.0 if _plain(inside) else 0.95
    return 0.7 if sum(kind(t.text) == PREPOSITION for t in inside) <= 1 else 0.4


def holder(tokens: Sequence[Token], role: Span, name: Span) -> float:
    """Score a name as the holder of a role: "its director is _", "_, the director of", "the founder _"."""
    inside = between(tokens, role, name)
    if kind(tokens[role[1]].low) == VERB or tokens[role[1]].low.endswith("ing"):
        return 0.0
    if len(inside) > _FAR or any(t.text == ";" for t in inside):
        return 0.0
    if role[1] < name[0] and "'s" in {t.low for t in tokens[role[1] : role[1] + 2]}:
        return 0.0  # "his father's _" is what the father has
    low = [t.low for t in inside]
    being = [i for i, w in enumerate(low) if w in BE - {"'s"}]  # "his king's wife" says nothing of him
    if role[1] < name[0]:
        if not low:
            return 0.85  # "the founder _", but a friend's too
        if being:
            after = inside[being[-1] + 1 :]
            before = inside[: being[0]]
            clean = _plain(after) and not _breaks(before) and not _verbs(before) and len(after) <= 5
            passive = _verbs(after) == 1 and low[-1] in {"by"}
            return 1.0 if clean else 0.9 if passive else 0.0
        if low[0] == "," and _plain(inside) and len(low) <= 6:
            return 0.95
        if low[0] == "of" and len(low) > 2 and "," in low and _plain(inside):
            return 0.7
        return 0.9 if _plain(inside) and len(low) <= 2 and "of" not in low and "'s" not in low else 0.0
    if being:
        before, after = inside[: being[0]], inside[being[-1] + 1 :]
        if any(b == "of" and a not in _AMONG for a, b in pairwise(t.low for t in after)):
            return 0.0  # "_ was the mother of his wife"
        return 1.0 if _plain(after) and len(after) <= 6 and all(not t.word for t in before) else 0.0
    verbs = [t for t in inside if kind(t.text) == VERB or t.stem in _BECOMING]
    if verbs and all(t.stem in _BECOMING for t in verbs) and len(inside) <= 8:
        return 0.9
    if low and low[0] == "," and _plain(inside) and len(low) <= 6:
        return 0.9
    return 0.0


def when(tokens: Sequence[Token], verb: Span, date: Span) -> float:
    """Score a date as the time of the verb: the nearest date of the clause fits best."""
    inside = between(tokens, verb, date)
    cost = 0.02 * len(inside) + 0.22 * _breaks(inside) + 0.22 * _verbs(inside)
    cost += 0.12 * sum(t.text in {",", "("} for t in inside[:-1]) if verb[1] < date[0] else 0.0
    cost += 0.15 * sum(t.low in {"and", "or"} for t in inside)
    return max(0.0, 1.0 - cost)


def score_place(tokens: Sequence[Token], verb: Span, name: Span) -> float:
    """Score a name as the place: a name after "in", "at", "on the beach of"."""
    inside = between(tokens, verb, name)
    before = [t.low for t in tokens[max(name[0] - 3, 0) : name[0]] if t.low not in {"the", "a", "an"}]
    if name[0] <= verb[1]:
        opened = name[0] > 0 and name[0] <= 4 and tokens[name[0] - 1].low in {"in", "at", "on", "near"}
        return 0.8 - 0.02 * len(inside) if opened and not _breaks(inside) and not _verbs(inside) else 0.0
    if tokens[verb[0]].stem == "bas" and inside and inside[0].low in {"on", "upon"}:
        return 0.0  # "based on a novel by"
    if not inside or (not (set(before) & _PLACING) and not ({t.low for t in inside} & _PLACING)):
        return 0.0
    inside = [t for t in inside if not t.text[0].isdigit() and not month_number(t.low)]  # "born on 11 June 1876 in"
    if all(t.low not in _PLACING - {"of", "by", "to"} for t in inside):
        return 0.0
    cost = 0.02 * len(inside) + 0.3 * _breaks(inside) + 0.3 * _verbs(inside)
    cost += 0.1 * sum(t.text == "," for t in inside) + 0.25 * (sum(kind(t.text) == NAME for t in inside) > 0)
    return max(0.0, 1.0 - cost)


def measured(tokens: Sequence[Token], word: Span, number: Span) -> float:
    """Score a number as a measure: "148 metres long", "a length of 126 metres", "weighs 3.2 kilograms"."""
    inside = between(tokens, word, number)
    if number[1] < word[0]:
        if not inside:
            return 1.0
        if (
            number[0]
            and tokens[number[0] - 1].low in {"at", "with"}
            and any(t.low in BE for t in inside)
            and len(inside) <= 6
        ):
            return 0.95  # "at 19.4 kilometres it is the longest"
        small = all(
            t.low in {"in", "of", "a", "the", "total", "above", "per", "with", "an", "and"} or not t.word
            for t in inside
        )
        return 0.9 if small and len(inside) <= 2 else max(0.0, 0.7 - 0.08 * len(inside) - 0.3 * _breaks(inside))
    cost = 0.03 * len(inside) + 0.3 * _breaks(inside) + 0.15 * sum(t.text == "," for t in inside)
    cost += 0.2 * (_verbs(inside) > 1) + 0.35 * sum(t.text[0].isdigit() for t in inside)
    return max(0.0, 1.0 - cost)


def counted(tokens: Sequence[Token], word: Span, number: Span) -> float:
    """Score a number as a count: "734 inhabitants", "a population of 412", "seats 212"."""
    inside = between(tokens, word, number)
    if number[1] < word[0]:
        if len(inside) <= 2 and all(t.word and kind(t.text) not in {PREPOSITION, AUXILIARY} for t in inside):
            return 1.0
        return 0.8 if len(inside) <= 4 and any(t.low == "of" for t in inside) and not _verbs(inside) else 0.0
    if len(inside) > 9 or _breaks(inside) or any(t.text[0].isdigit() for t in inside):
        return 0.0
    others = [
        t
        for t in inside
        if t.word
        and t.low not in {"of", "about", "around", "some", "roughly", "over", "than", "more", "nearly", "to", "up"}
    ]
    return max(0.3, 0.95 - 0.12 * len(others))


def labelled(tokens: Sequence[Token], word: Span, value: Span) -> float:
    """Score a value in a line of a list or table: "Licence: Apache 2.0", "Employees | 31"."""
    mark = next((i for i, t in enumerate(tokens[:_LABEL]) if t.text in {":", "|"}), -1)
    label = tokens[: max(mark, 0)]
    if any(kind(t.low) in {AUXILIARY, VERB} for t in label if not t.capital):
        return 0.0  # a sentence with a colon
    return 0.97 if word[1] < mark and value[0] == mark + 1 else 0.0

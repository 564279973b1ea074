"""Words of a question that say what is to be done with columns: count, average, compare, order, leave out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import Final

from hydra_kg.execution.own_graph import number
from hydra_kg.extract.word_classes import BE, DO, HAVE, NOUN, PREPOSITIONS, VERB, kind
from hydra_kg.language.adjectives import GradedAdjective, graded_adjectives
from hydra_kg.language.dates import Period, find_days_of_years, find_periods
from hydra_kg.language.form_notation import form_pattern
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.number_words import number_words, ordinal_number
from hydra_kg.language.tokens import SENTENCE_ENDS, Splitter, number_pattern
from hydra_kg.language.units import unit_dimensions, verb_dimension
from hydra_kg.steps.schema.question_words import noun_of, nouns_of
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace

_CLOCK: Final = r"(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:[0-5]\d(?::[0-5]\d)?(?!\w)"
_split: Final = Splitter(numbers=f"{_CLOCK}|{number_pattern()}", quotes=True, marks=SENTENCE_ENDS)
_NOT: Final = re.compile(
    r"\b(do|does|did|is|are|was|were|has|have|had|can|could|would|should)n['’]?t\b|\bcannot\b", re.I
)

BEHIND: Final = {word: n for word, n in number_words("ordinal").items() if n > 2}
"""Ordinals that are no other words as well."""
_DATES: Final = ("@date", "@year")
"""Measures that any column of dates, or the only one of years, is."""
SINCE: Final = "@since"
"""Measure that a column of when rows began is: who has been a member the longest has joined first."""
YEARLESS: Final = "yearless"
"""Value of a cue of a month or a day without a year."""
LATE: Final = "late"
"""Cue of a date that was promised and not kept, or kept: returned *late*, *overdue*, *on time*."""
OVERRUN: Final = "overrun"
"""Cue of the days between such dates: *how many days late*."""
PENDING: Final = "pending"
"""Cue of rows that lack the date that fulfils what was promised: who *still has* a book."""
MERIT: Final = ("rating", "points", "star")  # measures of the *best* and the *worst*
UNIT: Final = "unit"
"""Cue of a unit after a number: 25 *euros*."""
_EXTREME: Final = ("most", "least", "worst")
_SHARES: Final = list_words("share") | {"fraction", "share", "how"}
_TOWARD: Final = {"next": frozenset({"after", "following"}), "previous": frozenset({"to", "before"})}
_IN_LIST: Final = re.compile(r"\b(?:in|on|of) (?:the|this) (?:list|table|chart)\b")
_MORE: Final = {"more": "max", "fewer": "min"}
_NOT_MORE: Final = frozenset(("", "than", "or", "and", "of"))
_FRACTIONS: Final = {"half": 0.5, "quarter": 0.25}
_BOUNDING: Final = list_words("before_amount")
"""Words before an amount."""
_DETERMINERS: Final = ARTICLES | list_words("demonstrative quantifier every_possessive")
_NO_SUPERLATIVES: Final = list_words("not_superlative")
_ANY: Final = (ARTICLES | {"any"}) - {"the"}
_OFTEN: Final = ("long", "ago")
_SIGNS: Final = ((">=", " at least "), ("<=", " at most "), (">", " more than "), ("<", " less than "))


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A word of the question.

    Args:
        text: The word as written.
        low: The word in lower case.
        quoted: Whether it is a text in quotation marks, which is one word.
        number: The number that it says, or None.
        named: Whether it has a capital inside the question, or digits.
    """

    text: str
    low: str
    quoted: bool = False
    number: float | None = None
    named: bool = False
    owner: bool = False
    mark: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """A span of the question that says what to do.

    Args:
        start: Its first word.
        end: The word after it.
        say: Which operation: count, avg, sum, max, min, compare, not, order, each, both, and so on.
        value: The operator or direction.
        measures: What is measured, best first.
    """

    start: int
    end: int
    say: str
    value: str = ""
    measures: tuple[str, ...] = ()
    period: Period | None = None
    """The days, of a cue that says when."""


NO_CUE: Final = Cue(0, 0, "")  # of a piece that says nothing to do


def tokens(question: str) -> list[QueryToken]:
    """Return the words of a question."""
    for sign, said in _SIGNS:
        question = re.sub(rf"(?<=[\s\w]){sign}(?=\s?[\d\"'])", said, question)
    text = _NOT.sub(lambda m: f"{m[1]} not" if m[1] else "can not", question)
    found: list[QueryToken] = []
    for word in _split(text):
        said, low = word.text, fold(word.text)
        if word.kind == "mark":
            found.append(QueryToken(said, said, mark=True))
        elif word.kind != "word":
            quoted = word.kind == "quoted"
            found.append(QueryToken(said, low if quoted else said, quoted, _number(said), True))
        else:
            named = (said[:1].isupper() and bool(found) and not found[-1].mark) or any(c.isdigit() for c in said)
            count = number_words("cardinal", "times", "scale").get(low, BEHIND.get(low))
            found.append(QueryToken(said, low, False, None if count is None else float(count), named, word.owner))
    return list(_with_amounts(_with_command(found)))


def _with_command(words: Sequence[QueryToken]) -> Sequence[QueryToken]:
    """Return words with "list" for "name" as a verb: "Name the people who …" and "Name 3 people" ask for no column."""
    after = words[1] if len(words) > 1 and words[0].low == "name" else None
    command = after is not None and (after.low in _DETERMINERS or after.number is not None)
    return [replace(words[0], low="list"), *words[1:]] if command else words


def _with_amounts(words: Sequence[QueryToken]) -> Iterator[QueryToken]:
    """Yield words with the number of "half an hour", and of the article in "more than an hour" or "lasts a week"."""
    skipped = 0
    for k, word in enumerate(words):
        if skipped:
            skipped -= 1
            continue
        behind = [w.low for w in words[k + 1 : k + 4]]
        link = 1 if behind[:1] == ["of"] else 0
        article, unit = [*behind, "", ""][link], behind[link + 1 :]
        if word.low in _FRACTIONS and article in ARTICLES and _is_unit(unit):
            skipped = link + 1
            yield replace(word, number=_FRACTIONS[word.low])
        elif word.low in ARTICLES - {"the"} and _is_unit(behind) and k and _is_bounding(words[k - 1], behind[0]):
            yield replace(word, number=1.0)
        else:
            yield word


def _is_unit(lows: Sequence[str]) -> bool:
    return bool(lows) and bool(unit_dimensions().get(lows[0]))


def _is_bounding(word: QueryToken, unit: str) -> bool:
    """Return True if a word compares with an amount ("than"), or is a verb that states one of the unit's dimension."""
    return word.low in _BOUNDING or (is_measuring(word) and verb_dimension(word.low) == unit_dimensions().get(unit))


def _number(text: str) -> float | None:
    found = number(text.replace(",", ""))
    return None if math.isnan(found) else found


_BEEN: Final = list_words("be have") | {"not", "never", "been"}
_SUMMED: Final = list_words("mean total") | {"count", "number", "many"}
_SORTING: Final = list_words("ordering") | {"list"}
_ASKING_FOR: Final = list_words("free_in_tables") - PREPOSITIONS - HAVE - DO - {"how"}
"""Words before the number of things to be named."""
_DOWN: Final = re.compile(
    r"\b(descending|decreasing|reverse|high to|highest to|most to|largest to|large to|oldest to|latest to|desc)\b"
)


def cues(words: list[QueryToken]) -> Iterator[Cue]:
    """Yield all spans that say what to do; they may overlap."""
    lows = ["\x00" if t.quoted else t.low.replace(" ", "_") for t in words]
    text, place = " ".join(lows), {}
    at = 0
    for i, low in enumerate(lows):
        place[at] = i
        at += len(low) + 1
    ends = {begin + len(lows[i]): i + 1 for begin, i in place.items()}
    for say, value, pattern in operator_patterns():
        for begin, first in place.items():
            if (m := pattern.match(text, begin)) and m.end() in ends and m.end() > begin:
                if say == "order" and m[0] == "ordered" and lows[first - 1 : first] and lows[first - 1] in _BEEN:
                    continue  # never ordered
                if say == "like" and m[0].endswith("part") and lows[ends[m.end()] : ends[m.end()] + 1] == ["of"]:
                    continue  # part of a category
                if say == "among" and m[0].startswith("out") and not _SHARES & set(lows):
                    continue  # works out of a depot
                said = ("desc" if _DOWN.search(m[0]) else "asc" if m[0] != "order" else "") if say == "order" else value
                yield Cue(first, ends[m.end()], say, said)
    yield from (Cue(p.start, p.end, "when", period=p) for p in find_periods(lows))
    yearless = (p for p in find_days_of_years(lows) if words[p.start].named or p.first == p.last)
    yield from (Cue(p.start, p.end, "when", YEARLESS, period=p) for p in yearless)
    for i, low in enumerate(lows):
        before = lows[i - 1] if i else ""
        ranks = (follows := words_after(lows, i)) and (follows in _EXTREME or follows.endswith("est"))
        if ranks and ordinal_number(low) > 1:
            yield Cue(i, i + 1, "nth", str(ordinal_number(low)))
        if low == "by" and _is_ranked(words[:i]):
            yield Cue(i, i + 1 + (lows[i + 1 : i + 2] == ["the"]), "order", "desc")
        elif low == "by" and _SUMMED & {*lows[:i]} and before not in _SORTING and not before.endswith(("ed", "en")):
            yield Cue(i, i + 1, "each", "by")
        if before in ("most", "least") and (noun := noun_of(low)):
            yield Cue(i - 1, i + 1, "top", "max" if before == "most" else "min", (noun,))
        if before == "how" and (found := _adjectives().get(low)) is not None and (low, words_after(lows, i)) != _OFTEN:
            yield Cue(i - 1, i + 1, "measure", "", found[1])
        if before in ("most", "least") and low.endswith("ly") and (found := _adjectives().get(low[:-2])) is not None:
            order = found[0] if before == "most" else "min" if found[0] == "max" else "max"
            yield Cue(i - 1, i + 1, "top", order, found[1])
        if low == "from" and (ranking := _ranking(lows, i)) is not None:
            yield ranking
        if (found := _superlatives().get(low)) is not None:
            order, measures = found
            measures = _lasting(words, i) or measures
            yield Cue(i - (before == "the"), i + 1, "top", order, measures)
        if before and words[i - 1].number is not None and (dimension := unit_dimensions().get(low)):
            yield Cue(i, i + 1, UNIT, dimension)
        if before in ("most", "least") and (found := _adjectives().get(low)) is not None:
            order = found[0] if before == "most" else "min" if found[0] == "max" else "max"
            start = i - 1 - (i >= 2 and lows[i - 2] == "the")
            yield Cue(start, i + 1, "top", order, found[1])
        if low == "by" and any(x in _SORTING for x in lows[:i]):
            yield Cue(i, i + 1 + (lows[i + 1 : i + 2] == ["the"]), "order", "asc")
        if low in _SORTING and i == 0:
            yield Cue(i, i + 1, "sorting")
        if low == "out" and follows == "of" and _is_bare(words, i + 2) and (not before or kind(before) != VERB):
            yield Cue(i, i + 2, "not")
        if low == "than" and (more := _comparatives().get(before)) is not None:
            yield Cue(i - 1, i + 1, "compare", more[0], more[1])
        if low == "than" and i > 1 and (degree := lows[i - 2]) in ("more", "less") and before in _adjectives():
            order, measures = _adjectives()[before]
            yield Cue(i - 2, i + 1, "compare", ">" if (order == "max") == (degree == "more") else "<", measures)
        if words_after(lows, i) != "than" and (more := _comparatives().get(low)) is not None:
            yield Cue(i, i + 1, "versus", "max" if more[0] == ">" else "min", more[1])
        if low in _MORE and words_after(lows, i) not in _NOT_MORE and before not in ("or", "no", "not", "how", "many"):
            yield Cue(i, i + 1, "versus", _MORE[low])
        if before == "more" and words_after(lows, i) != "than" and (found := _adjectives().get(low)) is not None:
            yield Cue(i - 1, i + 1, "versus", found[0], found[1])
        if low in ("first", "last") and _IN_LIST.search(text):
            yield Cue(i - (before == "the"), i + 1, "row", "max" if low == "last" else "min")
        if low in ("next", "previous") and (toward := _TOWARD[low] & set(lows[i + 1 : i + 4])):
            yield Cue(i, i + 1, "adjacent", "1" if low == "next" else "-1")
            yield from (Cue(k, k + 1, "idle") for k in range(i + 1, i + 4) if lows[k : k + 1] and lows[k] in toward)
        if low in ("top", "first", "best") and i + 1 < len(lows) and words[i + 1].number is not None:
            yield Cue(i - (before == "the"), i + 2, "limit", lows[i + 1])
        if _is_number_asked_for(words, i):
            yield Cue(i - (before == "the"), i + 1, "limit", low)


def _is_number_asked_for(words: Sequence[QueryToken], place: int) -> bool:
    """Return True for the number of things to be named: which *3* films, name *two* actors."""
    size = words[place].number or 0.0
    if not 2 <= size <= 100 or size != int(size) or words[place].quoted or place + 1 == len(words):
        return False
    noun = words[place + 1]
    several = singular(noun.low) != noun.low and not noun.mark
    return place > 0 and several and {w.low for w in words[:place]} <= _ASKING_FOR


def cues_of_nouns(words: Sequence[QueryToken], nouns: Set[str]) -> Iterator[Cue]:
    """Yield superlatives of adjectives whose noun is a word of a heading: the most *complex*, of "complexity"."""
    for k, word in enumerate(words[1:], 1):
        if words[k - 1].low in ("most", "least") and (said := nouns_of(word.low) & nouns):
            start = k - 1 - (k >= 2 and words[k - 2].low == "the")
            yield Cue(start, k + 1, "top", "max" if words[k - 1].low == "most" else "min", tuple(sorted(said)))


def _ranking(lows: Sequence[str], start: int) -> Cue | None:
    """Return the order that two superlatives state: from cheapest *to* the most expensive."""
    first = start + 1 + (lows[start + 1 : start + 2] == ["the"])
    found = _superlatives().get(lows[first]) if first < len(lows) else None
    if lows[first : first + 1] in (["most"], ["least"]) and (adjective := _adjectives().get(words_after(lows, first))):
        turned = "min" if adjective[0] == "max" else "max"
        found, first = (adjective[0] if lows[first] == "most" else turned, adjective[1]), first + 1
    if found is None or lows[first + 1 : first + 2] != ["to"]:
        return None
    end = first + 2
    while end < len(lows) - 1 and lows[end] in ("the", "most", "least"):
        end += 1
    is_last = end < len(lows) and (lows[end] in _superlatives() or lows[end] in _adjectives())
    return Cue(start, end + 1, "order", "desc" if found[0] == "max" else "asc", found[1]) if is_last else None


def is_measuring(word: QueryToken) -> bool:
    """Return True for a verb that states an amount: to cost, to weigh."""
    return bool(verb_dimension(word.low))


def _lasting(words: Sequence[QueryToken], place: int) -> tuple[str, ...]:
    """Return the measures of "longest" as an adverb: "took the longest", "has worked here the longest".

    With "has", the time since the beginning comes first. After a form of "be", or before a noun, it is an adjective,
    and the result is empty.
    """
    if "duration" not in _superlatives().get(words[place].low, ("", ()))[1]:
        return ()
    behind = words[place + 1] if place + 1 < len(words) else None
    before = [w.low for w in words[:place] if w.low != "the"]
    if not before or before[-1] in BE or not (behind is None or behind.mark or behind.low in PREPOSITIONS - {"of"}):
        return ()
    return (SINCE, "duration") if HAVE & set(before) else ("duration", SINCE)


def _is_bare(words: Sequence[QueryToken], place: int) -> bool:
    """Return True if a noun without an article is at a place: out of *stock*."""
    return place < len(words) and not words[place].named and kind(words[place].low) == NOUN


def _is_ranked(words: Sequence[QueryToken]) -> bool:
    """Return True if words ask for a "top 5", whose order a "by" after them gives."""
    return any(one.low == "top" and other.number is not None for one, other in pairwise(words))


@cache
def operator_patterns() -> list[tuple[str, str, re.Pattern[str]]]:
    """Return each operator of ``operators.tsv`` with its value and a pattern of its words."""
    rows = lexicon_table("operators")
    return [(say, value, re.compile(rf"(?<!\S)(?:{form_pattern(form)})(?!\S)")) for say, value, form in rows]


def adjective_of(comparative: str) -> str | None:
    """Return the plain adjective of a comparative: older → old."""
    return next((a.plain for a in graded_adjectives() if a.comparative == comparative), None)


def words_after(lows: Sequence[str], place: int) -> str:
    """Return the next word, or ""."""
    return lows[place + 1] if place + 1 < len(lows) else ""


def _measures(one: GradedAdjective) -> tuple[str, ...]:
    return (*one.measures, *_DATES) if one.kind == "date" else one.measures


@cache
def _superlatives() -> dict[str, tuple[str, tuple[str, ...]]]:
    rows = (a for a in graded_adjectives() if a.superlative != "-")
    found: dict[str, tuple[str, tuple[str, ...]]] = {a.superlative: (a.order, _measures(a)) for a in rows}
    dated, aged = ("@date", "year", "date"), ("age", *_DATES)
    found |= {"last": ("max", dated), "first": ("min", dated), "oldest": ("max", aged), "youngest": ("min", aged)}
    return found | {"best": ("max", MERIT), "worst": ("min", MERIT)}


@cache
def superlative_words() -> frozenset[str]:
    """Return the superlatives that the lexicon lists: heaviest, first."""
    return frozenset(_superlatives())


def is_superlative(word: str) -> bool:
    """Return True for a word that ends as long superlatives do: wettest."""
    return len(word) > 5 and word.endswith("est") and word not in _NO_SUPERLATIVES


def asks_who(words: Sequence[QueryToken]) -> bool:
    """Return True if a question asks by "who" or "whom" at its beginning."""
    return any(w.low in ("who", "whom") for w in words[:2])


def is_object(words: Sequence[QueryToken], place: int) -> bool:
    """Return True if a noun is the object of what "who" does: who returned a *tool*, who never rode a grey *horse*.

    Then "who" does not ask for things of that kind, as "who is a *member*" asks for members.
    """
    before = {w.low for w in words[max(2, place - 2) : place]}
    return asks_who(words) and not {words[1].low, *before} & (BE | {"been"}) and not before.isdisjoint(_ANY)


def asks_by_word(words: Sequence[QueryToken]) -> bool:
    """Return True if a question asks by "who" or "where" at its beginning, which no column is called."""
    return asks_who(words) or any(w.low == "where" for w in words[:2])


def asks_rank(lows: Sequence[str]) -> bool:
    """Return True if a question has a superlative with an ordinal: the third largest is not the largest."""
    return any(ordinal_number(one) > 1 and other in superlative_words() for one, other in pairwise(lows))


@cache
def _adjectives() -> dict[str, tuple[str, tuple[str, ...]]]:
    return {a.plain: (a.order, _measures(a)) for a in graded_adjectives()}


@cache
def _comparatives() -> dict[str, tuple[str, tuple[str, ...]]]:
    rows = [a for a in graded_adjectives() if a.comparative != "-"]
    found = {a.comparative: (">" if a.order == "max" else "<", _measures(a)) for a in rows}
    return found | {"older": (">", ("age", "@date")), "younger": ("<", ("age", "@date"))}

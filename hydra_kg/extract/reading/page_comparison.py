"""Compare two pages: which came first or is larger, which one a description fits, and what both have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.page_question import STOP, Asked
from hydra_kg.extract.reading.sentence_answers import answers
from hydra_kg.extract.reading.word_groups import places, said_by
from hydra_kg.extract.word_classes import ASKING, BE, DO, VERB, country_of, kind
from hydra_kg.language.adjectives import QUANTITY_ORDER, graded_adjectives
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.language.units import noun_dimensions, unit_factors
from hydra_kg.util.fast_dataclass import dataclass

_PLACE_IN_TIME: Final = {"first": "min", "last": "max"}
_HAVE: Final = list_words("have")
_LIGHT: Final = frozenset({"locat", "situat", "typ", "kind"})
"""Stems that definitions leave out: "is a lake in Alaska"."""
_NATIONAL: Final = frozenset({"nationality", "country", "nation"})
_STARTS: Final = ("found", "bear", "releas", "publish")
"""Events with which things begin, in the order in which they are looked for."""
_YEAR: Final = 4  # digits
_PLAIN: Final = 0.5
"""Least score of a value that is compared, or that shows a page to state something."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question about two things. ``order``: the end asked for, of the dates or numbers that ``asked`` finds.

    Without an order, ``words`` are what the things are or do. ``shared``: what they may have the same of, as a noun.
    """

    choice: bool
    words: tuple[str, ...]
    countries: frozenset[str]
    asked: tuple[Asked, ...] = ()
    order: str = ""
    shared: str = ""
    defines: bool = False
    """Whether a form of "be" asks what the things are, which their definitions state."""


@dataclass(frozen=True, slots=True)
class ComparedPages:
    """The result: the number of the chosen page, or ``truth``, with a sentence of each page."""

    sentences: tuple[Sentence, Sentence]
    chosen: int = -1
    truth: bool | None = None


def comparison(question: str, spans: Sequence[tuple[int, int]]) -> Comparison | None:
    """Read a question about the two things at ``spans`` (characters), or return None if it compares nothing."""
    outside = [t for t in tokenise(question) if t.word and not any(a <= t.start < b for a, b in spans)]
    low = [t.low for t in outside]
    asks = next((i for i, w in enumerate(low) if w in ASKING), -1)
    alternative = "or" in [t.low for t in tokenise(question[spans[0][1] : spans[1][0]])]
    later = asks >= 0 and outside[asks].start > spans[1][0]  # "X and Y are clubs. Which is older?"
    choice = asks >= 0 or alternative
    if not choice and not (low and low[0] in BE | DO | _HAVE):
        return None
    content = [t for t in outside if t.low not in STOP and t.low not in ASKING and not country_of(t.low)]
    ordered = _ordered(content, low, asks) if choice else None
    if ordered is not None:
        return ordered if alternative or later or "between" in low else None
    if choice and not alternative:
        return None
    if not choice and "same" in low and (at := low.index("same")) + 1 < len(low):
        return Comparison(False, (), frozenset(), shared=outside[at + 1].low)
    if not choice and "both" not in low:
        return None
    skipped = list_words("coordination") | {"both"}
    words = tuple(dict.fromkeys(t.stem for t in content if t.low not in skipped and t.stem not in _LIGHT))
    countries = frozenset(filter(None, map(country_of, low)))
    defines = low[0] in BE or (asks >= 0 and asks + 1 < len(low) and bool(BE & set(low)))
    return Comparison(choice, words, countries, defines=defines) if words or countries else None


def _ordered(content: Sequence[Token], low: Sequence[str], asks: int) -> Comparison | None:
    """Return which end of which date or number is asked for, or None."""
    adjectives = {form: a for a in graded_adjectives() for form in a.forms[1:]}
    graded = next((adjectives[w] for w in low if w in adjectives), None)
    time = next((_PLACE_IN_TIME[w] for w in low if w in _PLACE_IN_TIME), "")
    skipped = {*adjectives, *_PLACE_IN_TIME, *QUANTITY_ORDER, *list_words("coordination"), "between", "come", "came"}
    noun = low[asks + 1] if 0 <= asks < len(low) - 1 and low[asks] != "who" else ""
    words = tuple(dict.fromkeys(t.stem for t in content if t.low not in skipped and t.low != noun))
    if time or (graded is not None and graded.kind == "date"):
        order = time or (graded.order if graded is not None else "")
        life = ("bear",) if graded is not None and graded.plain in {"old", "young"} else ()
        events = tuple(Asked("date", (w,), past=True) for w in (words or (*life, *_STARTS)))
        return Comparison(True, words, frozenset(), events, order)
    if graded is not None:
        dimensions = {d for m in graded.measures for d in noun_dimensions().get(m, ())}
        measures = (Asked("measure", (graded.plain, *words), dimensions=tuple(sorted(dimensions))),)
        counted = tuple(Asked("count", (w,), w) for w in words) if not dimensions else ()
        return Comparison(True, words, frozenset(), measures if dimensions else counted, graded.order)
    quantity = next((QUANTITY_ORDER[w] for w in low if w in QUANTITY_ORDER), "")
    if quantity and words:
        return Comparison(True, words, frozenset(), (Asked("count", words[:1], words[0]),), quantity)
    return None


def compare(comparison: Comparison, pages: tuple[Page, Page]) -> ComparedPages | None:
    """Return what two pages say for a comparison, or None if one of them does not state enough."""
    if comparison.order:
        return _by_value(comparison, pages)
    if comparison.shared:
        return _by_shared(comparison.shared, pages)
    findings = [_holds(page, comparison) for page in pages]
    one, other = findings
    if one is None or other is None:
        return None
    sentences = (one[1], other[1])
    if not comparison.choice:
        return ComparedPages(sentences, truth=one[0] and other[0])
    return ComparedPages(sentences, chosen=0 if one[0] else 1) if one[0] != other[0] else None


def _by_value(comparison: Comparison, pages: tuple[Page, Page]) -> ComparedPages | None:
    """Choose the page with the earlier, later, smaller or larger value of the first event or measure of both."""
    for asked in comparison.asked:
        one, other = (_stated(page, asked) for page in pages)
        if one is None or other is None:
            continue
        (a, first), (b, second) = one, other
        shared = min(len(a), len(b))
        a, b = a[:shared], b[:shared]
        if a == b:
            return None
        smaller = 0 if a < b else 1
        return ComparedPages((first, second), chosen=smaller if comparison.order == "min" else 1 - smaller)
    return None


def _stated(page: Page, asked: Asked) -> tuple[tuple[float, ...], Sentence] | None:
    """Return the date as (year, month, day), or the number, that a page states most plainly."""
    for found in answers(page, asked):
        if found.score < _PLAIN:
            break
        if value := _date_parts(found.key) if asked.kind == "date" else _in_base_unit(found.text):
            return value, found.sentence
    opening = next(iter(page.sentences), None)
    if opening is not None and asked.words == ("bear",) and (born := _first_date(opening)):
        return born, opening
    return None


def _first_date(opening: Sentence) -> tuple[float, ...]:
    """Return the first date of an opening sentence with a lifetime: "(178030 January 1856)" has none."""
    opened = next((i for i, t in enumerate(opening.tokens) if t.text == "("), -1)
    closed = next((i for i, t in enumerate(opening.tokens) if i > opened and t.text == ")"), -1)
    dates = [v for v in opening.values if v.kind == "date" and opened < v.first < closed] if opened >= 0 else []
    return _date_parts(dates[0].key) if dates else ()


def _in_base_unit(text: str) -> tuple[float, ...]:
    """Return a number with its unit taken into account ("5 km": 5000), or nothing for a unit that is not known."""
    number, _, unit = text.casefold().replace(",", "").partition(" ")
    base = unit_factors().get(unit) or unit_factors().get(unit.removesuffix("s"))
    factor = 1.0 if not unit else base[1] if base else 0.0
    return (float(number) * factor,) if factor and number.replace(".", "", 1).isdigit() else ()


def _date_parts(key: str) -> tuple[float, ...]:
    """Return year, month and day of a date as a literal; nothing for a date in words ("1920s")."""
    parts = key[1:].partition('"')[0].split("-")
    return tuple(map(float, parts)) if all(p.isdigit() for p in parts) and len(parts[0]) == _YEAR else ()


def _holds(page: Page, comparison: Comparison) -> tuple[bool, Sentence] | None:
    """Return whether a sentence says of a page's subject what is asked, or None if that stays open.

    What a definition leaves out about a kind or a country is taken as not so: an adventure film is not animated.
    """
    about = _about(page)
    definition = about[0] if about and any(t.low in BE for t in about[0].tokens) else None
    for s in about:
        said = all(places(s.tokens, w) for w in comparison.words)
        if said and comparison.countries <= countries_in(s):
            return True, s
    if definition is None or not comparison.defines:
        return None
    missing = [w for w in comparison.words if not places(definition.tokens, w)]
    if any(kind(w) == VERB or places(s.tokens, w) for w in missing for s in page.sentences):
        return None
    if not missing and not countries_in(definition):
        return None
    return False, definition


def countries_in(sentence: Sentence) -> frozenset[str]:
    """Return the countries whose demonyms are in a sentence: "English-American" is of two."""
    return frozenset(filter(None, (country_of(part) for t in sentence.tokens for part in t.low.split("-"))))


def _about(page: Page) -> list[Sentence]:
    """Return the sentences about a page's subject. The first is: "Hartwig Schierbaum, better known as Marian Gold"."""
    return [s for i, s in enumerate(page.sentences) if not i or s.subject in {"topic", "part"}]


def _by_shared(noun: str, pages: tuple[Page, Page]) -> ComparedPages | None:
    """Compare the nationality, or the names next to a noun: "the synthpop group Alphaville" for the same band."""
    one, other = (_values_of(page, noun) for page in pages)
    if one is None or other is None:
        return None
    (a, first), (b, second) = one, other
    return ComparedPages((first, second), truth=bool(a & b))


def _values_of(page: Page, noun: str) -> tuple[frozenset[str], Sentence] | None:
    about = _about(page)
    stem = tokenise(noun)[0].stem
    for s in about:
        if noun in _NATIONAL:
            if found := countries_in(s):
                return found, s
            continue
        near = frozenset(
            n.text.casefold()
            for n in s.names
            if any(t.stem in said_by(stem) for t in s.tokens[max(n.first - 2, 0) : n.last + 2])
        )
        if near:
            return near, s
    return None

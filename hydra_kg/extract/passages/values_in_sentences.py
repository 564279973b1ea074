"""Find what a sentence offers of the kind that a question asks for, each with how well it fits the kind.

Names, dates, numbers, quotations, phrases after the asked verb, and what follows a label are candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from hydra_kg.extract.passages.open_question import PLURAL_VERBS, OpenQuestion, Term
from hydra_kg.extract.reading.answer_phrases import noun_phrase, reason
from hydra_kg.extract.reading.page import Page, Sentence, lying_somewhere
from hydra_kg.extract.reading.page_question import ARTICLES, BE
from hydra_kg.extract.reading.sentence_answers import own_places
from hydra_kg.extract.reading.sentence_names import Name
from hydra_kg.extract.reading.sentence_values import ValueSpan, text_key
from hydra_kg.extract.reading.word_groups import said_by
from hydra_kg.extract.word_classes import FUNCTION, NOUN, PREPOSITION, is_demonym
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.adjectives import superlative_orders
from hydra_kg.language.dates import names_time
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import ordinal_number
from hydra_kg.language.tokens import Token
from hydra_kg.util.fast_dataclass import dataclass, replace

FOUND: Final = 0.8
_LEAST_PREFIX: Final = 5  # letters that "chairs" and "chairman" share
_PHRASE: Final = 14  # most tokens of a phrase that answers "what"
_NATIONALITY: Final = "nationality"
_LANGUAGE: Final = "languag"
_WIDER: Final = frozenset({"stat", "country", "provinc", "county"})
_NARROWER: Final = frozenset({"city", "town", "villag"})
"""Stems of nouns for the last and the first part of an address: "Portland, Oregon"."""
_NUMBERED: Final = frozenset({"age", "number"})
"""Stems of nouns that ask for a number: "at what age", "what number"."""
_DISTANCES: Final = list_words("distance_in_time")
"""Words behind a duration that is the distance to another event, and nobody's age."""
_PLACING: Final = list_words("before_place_name")
_THEM: Final = list_words("third_person_object demonstrative relative_pronoun")
_WITH_DATE: Final = 0.5
"""Fit of a time of day in a sentence that has a date too."""


@dataclass(frozen=True, slots=True)
class LikelyAnswer:
    """A candidate in a sentence. ``score`` and ``covered`` (the share of the question's words) are from 0 to 1."""

    text: str
    key: str
    sentence: Sentence
    first: int
    last: int
    score: float
    covered: float
    name: bool = False
    direct: bool = False
    """Whether only small words stand between it and an asked word."""


_OTHER_BRACKET: Final = 0.5
"""Factor for a name with something else in brackets behind it: another office."""


def likeness(term: Term, token: Token) -> float:
    """Return how surely a token says a term: the same word, a word of its group, or the same long beginning."""
    if token.stem == term.stem or token.low == term.low:
        return 1.0
    return _likeness(term.stem, term.low, token.stem, token.low, token.capital if term.name else None)


@lru_cache(maxsize=1 << 14)
def _likeness(term: str, asked: str, stem: str, low: str, capital: bool | None) -> float:
    """Return the likeness of two different words; ``capital`` is None unless the term is a name."""
    if (worth := said_by(term).get(stem, 0.0)) and low not in superlative_orders("date"):
        return worth  # but "the oldest bell" does not say when a village was founded
    a, b = sorted((low, asked), key=len)
    if capital is not None:
        return FOUND if capital and len(a) > 3 and b.startswith(a[:-1]) and len(b) - len(a) < 4 else 0.0
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return FOUND if shared >= _LEAST_PREFIX and shared >= 0.6 * len(b) else 0.0


def candidates_of(
    page: Page, s: Sentence, question: OpenQuestion, *, about: bool
) -> Iterator[tuple[LikelyAnswer, float]]:
    """Yield what a sentence offers of the asked kind, each with how well it fits, from 0 to 1."""
    kind = question.asked.kind
    if kind == "whether":
        return
    if question.noun == _NATIONALITY:
        adjectives = (i for i, t in enumerate(s.tokens) if is_demonym(t.low) and t.low not in question.words)
        yield from ((_span(s, i, i, s.tokens[i].text, text_key(s.tokens[i].text)), 1.0) for i in adjectives)
        return
    if kind == "cause":
        places = [i for i, t in enumerate(s.tokens) if _is_asked(t, question)][:1]
        found = (reason(s, (i, i)) for i in places)
        yield from ((_within(s, *place[:2]), place[2]) for place in found if place is not None)
        return
    if kind == "date":
        dated = any(v.kind == "date" for v in s.values)
        for v in s.values:
            if v.kind in {"date", "time"}:
                yield _span(s, v.first, v.last, v.text, v.key), _WITH_DATE if dated and v.kind == "time" else 1.0
    elif kind in {"count", "measure"} or question.noun in _NUMBERED:
        yield from _numbers(s, question)
    else:
        if not about and (fit := _title_fit(page, s, question)):
            title = page.called[0]
            yield LikelyAnswer(title, text_key(title), s, 0, -1, 0.0, 0.0, name=True), fit
        yield from _names(page, s, question)
        if kind == "place":
            yield from _places(s, question)
        if kind in {"name", "thing"}:
            yield from ((_span(s, v.first, v.last, v.text, v.key), FOUND) for v in s.quotes)
        if kind == "thing" and not question.noun:
            yield from _objects(s, question)
    for c, fit in _labelled(s, question):
        if any(t.word and t.low not in FUNCTION | question.words for t in s.tokens[c.first : c.last + 1]):
            yield c, fit


def _objects(s: Sentence, question: OpenQuestion) -> Iterator[tuple[LikelyAnswer, float]]:
    """Yield the noun phrases after asked verbs: "studied physics in Kyoto" for "What did she study?"."""
    for i, t in enumerate(s.tokens):
        if any(likeness(term, t) and term.stem == question.asked.words[0] for term in question.terms):
            phrase = noun_phrase(s, (i, i), noun=False)
            if phrase is not None:
                yield _within(s, *phrase[:2]), phrase[2]


def _places(s: Sentence, question: OpenQuestion) -> Iterator[tuple[LikelyAnswer, float]]:
    """Yield places without a name: the cellar of "kept in the cellar"."""
    for i, t in enumerate(s.tokens[:-1]):
        if t.low in _PLACING and (phrase := noun_phrase(s, (i, i), noun=False)) is not None:
            inside = s.tokens[phrase[0] : phrase[1] + 1]
            known = any(w.capital or w.text.isdigit() or _is_asked(w, question) for w in inside)
            if not known and not names_time(" ".join(w.low for w in inside)):
                yield _within(s, *phrase[:2]), FOUND


def _numbers(s: Sentence, question: OpenQuestion) -> Iterator[tuple[LikelyAnswer, float]]:
    kind = question.asked.kind
    for v in s.values:
        if v.kind != "number" or v.text in question.words:
            continue
        if kind == "measure":
            aged = "age" in question.asked.words[:1] and _is_age(s, v)
            after = s.tokens[v.last + 1].low if v.last + 1 < len(s.tokens) else ""  # "ten years later"
            fit = 1.0 if aged or (v.dimension in question.asked.dimensions and after not in _DISTANCES) else 0.0
        elif kind == "count":
            unit = (s.tokens[v.last].stem,) if v.dimension else ()  # "how many days"
            before = (t.stem for t in s.tokens[max(v.first - 2, 0) : v.first])  # "a population of 6,960"
            around = (*unit, *v.counted, *before)
            behind = [t.low for t in s.tokens[v.last + 1 : v.last + 3]]
            said = behind[:1] == ["of"] and behind[-1] in _THEM and any(t.stem == question.noun for t in s.tokens)
            counts = said or any(stem == question.noun or stem in said_by(question.noun) for stem in around)
            fit = 1.0 if counts else 0.15 if v.dimension else 0.45
            fit *= 0.5 if _is_year(s.tokens[v.first].text) else 1.0  # "the 2011 census"
        else:
            fit = 1.0
        if fit:
            yield _span(s, v.first, v.last, v.text, v.key), fit
    if kind not in {"count", "measure"}:
        ordinals = (i for i, t in enumerate(s.tokens) if ordinal_number(t.low))
        yield from ((_span(s, i, i, s.tokens[i].text, text_key(s.tokens[i].text)), 0.9) for i in ordinals)


def _is_age(s: Sentence, v: ValueSpan) -> bool:
    """Return True for a number after "age" or "aged", or between commas after a name: "Lewis Tate, 17, a piper"."""
    before = s.tokens[max(v.first - 2, 0) : v.first]
    if any(t.stem == "age" or t.low == "aged" for t in before):
        return True
    closed = v.last + 1 < len(s.tokens) and s.tokens[v.last + 1].text == ","
    named = len(before) > 1 and before[0].capital and before[1].text == ","
    return closed and named and not v.dimension and len(v.text) < 4


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[0] in "12"


def _title_fit(page: Page, s: Sentence, question: OpenQuestion) -> float:
    """Return how well the subject of the passage itself fits: the page of a keeper for "which keeper"."""
    kind = question.asked.kind
    if kind == "person":
        return 1.0 if page.person else 0.3 if s.subject == "topic" else 0.0
    if kind == "place":
        return 0.5 if not page.person and not page.types.isdisjoint(lying_somewhere()) else 0.0
    described = s.subject == "topic" and any(
        t.stem == question.noun and any(w.low in ARTICLES for w in s.tokens[max(i - 2, 0) : i])
        for i, t in enumerate(s.tokens)
    )
    return 1.0 if question.noun and (described or question.noun in page.types) else 0.2


def _names(page: Page, s: Sentence, question: OpenQuestion) -> Iterator[tuple[LikelyAnswer, float]]:
    own = own_places(page, s)
    for n in s.names:
        words = [t.low for t in s.tokens[n.first : n.last + 1] if t.word and t.low not in FUNCTION]
        said = all(w in question.words for w in words) or any(a <= n.first and n.last <= b for a, b in own)
        if not said and (n.kinds != {"people"} or question.noun == _LANGUAGE) and not _in_longer_quote(s, n):
            asked_in_it = any(not term.noun and term.low in words for term in question.terms)
            fit = _name_fit(s, n, question) * (0.6 if asked_in_it else 1.0) * _bracket_fit(s, n, question)
            yield replace(_span(s, n.first, n.last, n.text, text_key(n.text)), name=True), fit


def _name_fit(s: Sentence, n: Name, question: OpenQuestion) -> float:
    if question.asked.kind == "person":
        fit = 1.0 if n.kinds == {"person"} or (not n.kinds and n.last > n.first) else 0.8
        fit = 0.2 if n.kinds and not n.kinds & {"person", "organisation"} else fit
        follows = s.tokens[n.last + 1] if n.last + 1 < len(s.tokens) else None
        describes = follows is not None and _is_described(follows, question)
        peoples = any(is_demonym(t.low.rstrip("s")) for t in s.tokens[n.first : n.last + 1])
        many = n.first == n.last == 0 and follows is not None and follows.low in PLURAL_VERBS  # "Bicycles are kept"
        return fit * (0.3 if describes else 1.0) * (0.3 if peoples else 1.0) * (0.2 if many else 1.0)
    if question.asked.kind == "place":
        before = next((t.low for t in reversed(s.tokens[: n.first]) if t.low not in ARTICLES), "")
        if question.led and before == question.led:
            return 1.0  # "from Oban"
        led = 1.0 if kind_of(before) == PREPOSITION or n.kinds & {"place", "organisation"} else 0.2
        return led * (0.3 if "person" in n.kinds else 1.0)
    around = s.tokens[max(n.first - 2, 0) : n.last + 2]
    if question.noun in _WIDER | _NARROWER:
        after = n.first > 1 and s.tokens[n.first - 1].text == "," and any(m.last == n.first - 2 for m in s.names)
        followed = any(m.first == n.last + 2 and s.tokens[n.last + 1].text == "," for m in s.names)
        if after or followed:
            return 1.0 if (question.noun in _WIDER) == (after and not followed) else 0.3
        return FOUND if n.first and kind_of(s.tokens[n.first - 1].low) == PREPOSITION else 0.3
    called = question.noun and any(t.stem == question.noun or t.stem in said_by(question.noun) for t in around)
    fit = 1.0 if called else 0.6 if question.noun else 0.7
    return fit * (0.4 if question.asked.kinds and n.kinds and not question.asked.kinds & n.kinds else 1.0)


def _bracket_fit(s: Sentence, n: Name, question: OpenQuestion) -> float:
    """Return how well what stands in brackets behind a name fits: "Mei Castell (treasurer)"."""
    if [t.text for t in s.tokens[n.last + 1 : n.last + 2]] != ["("]:
        return 1.0
    inside = list(takewhile(lambda t: t.text != ")", s.tokens[n.last + 2 :]))
    return 1.0 if any(_is_asked(t, question) for t in inside) else _OTHER_BRACKET


def _is_described(follows: Token, question: OpenQuestion) -> bool:
    """Return True if a noun or a hyphen follows a name, unless the question asks for it: "Marta Silva brings soup"."""
    noun = follows.text == "-" or (follows.word and kind_of(follows.text) == NOUN)
    return noun and not _is_asked(follows, question)


def _in_longer_quote(s: Sentence, n: Name) -> bool:
    """Return True if a name is only a part of a quoted title."""
    longer = (v for v in s.quotes if v.last - v.first > n.last - n.first)
    return any(v.first <= n.first and n.last <= v.last for v in longer)


def _labelled(s: Sentence, question: OpenQuestion) -> Iterator[tuple[LikelyAnswer, float]]:
    """Yield what follows a label, "is" or the question's last preposition, if all before it is asked about.

    Examples: "Treasurer: Ada Lund", "Core hours are from 10 to 3", "is known for its rodeo" for "what is _ known for".
    A row of a table has several labels ("Lost manual | Fee: 6").
    """
    number = question.asked.kind in {"count", "measure"}
    if question.asked.kind in {"date", "cause"}:
        return
    for i, t in enumerate(s.tokens[:-1]):
        is_label = t.text == ":"
        led = not number and t.low == question.led and i > 0 and _is_asked(s.tokens[i - 1], question)
        if not is_label and not led and not (t.low in BE and question.asked.kind == "thing"):
            continue
        before = [w for w in _back(s.tokens, i) if w.word and w.low not in FUNCTION]
        if not led and not (before and all(_is_asked(w, question) for w in before)):
            continue
        ends = {".", ";", "|"} if is_label else {".", ";", ","}
        end = next((j for j in range(i + 1, len(s.tokens)) if s.tokens[j].text in ends), len(s.tokens))
        inside = s.tokens[i + 1 : end]
        if number and not any(w.text[:1].isdigit() for w in inside):
            continue
        if 0 < len(inside) <= _PHRASE and (is_label or not any(_is_asked(w, question) for w in inside)):
            text = s.text[inside[0].start : inside[-1].end]
            yield _span(s, i + 1, end - 1, text, text_key(text)), 1.0 if is_label else 0.9


def _is_asked(token: Token, question: OpenQuestion) -> bool:
    return token.word and any(likeness(term, token) for term in question.terms)


def _back(tokens: Sequence[Token], at: int) -> Iterable[Token]:
    """Return the tokens before a mark, back to the mark before it."""
    begin = next((i + 1 for i in range(at - 1, -1, -1) if tokens[i].text in {"|", ";"}), 0)
    return tokens[begin:at]


def _within(s: Sentence, first: int, last: int) -> LikelyAnswer:
    text = s.text[s.tokens[first].start : s.tokens[last].end]
    return _span(s, first, last, text, text_key(text))


def _span(s: Sentence, first: int, last: int, text: str, key: str) -> LikelyAnswer:
    return LikelyAnswer(text, key, s, first, last, 0.0, 0.0)

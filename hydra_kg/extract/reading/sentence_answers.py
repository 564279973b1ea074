"""Find a page's answers to a plain question: values in its sentences, each with how plainly it is stated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hydra_kg.extract.reading import statement_scores
from hydra_kg.extract.reading.answer_phrases import definition, noun_phrase, reason
from hydra_kg.extract.reading.enumerations import enumerations
from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.page_question import BE, Asked
from hydra_kg.extract.reading.sentence_names import Name
from hydra_kg.extract.reading.sentence_values import ValueSpan, text_key
from hydra_kg.extract.reading.subjects import about
from hydra_kg.extract.reading.word_groups import places, said_by
from hydra_kg.extract.word_classes import AUXILIARY, PREPOSITION, VERB
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import number_words
from hydra_kg.util.fast_dataclass import dataclass, replace

_HEADING: Final = 0.85
"""Weight of a word of the question that is only in the heading or the definition of the page's subject."""
_MISSED: Final = 0.3
"""Factor on the score of an answer for each word of the question that its sentence lacks."""
_KIND_MISSED: Final = 0.85
_FORMER: Final = list_words("former_holder")
_MAKING: Final = list_words("making_stem")
_NO_HOLDERS: Final = list_words("not_a_holder_stem")
_COLOUR: Final = frozenset({"colour", "color"})
_PLACES: Final = frozenset({*number_words("ordinal"), "last"})
_LIFE: Final = frozenset({"bear", "die"})
_HAPPENING: Final = frozenset({"happen", "occur", "tak plac", "be"})
_COLOURS: Final = list_words("colour")
_SHADES: Final = list_words("shade")


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """An answer in a sentence: its text and literal, its characters there, and how clearly it is stated (0 to 1).

    ``kinds`` are the kinds of thing that a name may be.
    """

    text: str
    key: str
    sentence: Sentence
    start: int
    end: int
    score: float
    word: str = ""
    """The word of the sentence that expresses the asked relation."""
    name: bool = False
    paragraphs: frozenset[int] = frozenset()
    """All paragraphs that state it."""


def answers(page: Page, asked: Asked) -> list[AnswerSpan]:
    """Return all answers on the page, the most plainly stated first, each text once."""
    best: dict[str, AnswerSpan] = {}
    paragraphs: dict[str, set[int]] = {}
    for sentence in page.sentences:
        for found in in_sentence(page, sentence, asked):
            key = found.text.casefold()
            if found.score > 0:
                paragraphs.setdefault(key, set()).add(sentence.paragraph)
                if key not in best or found.score > best[key].score:
                    best[key] = found
    stated = (replace(found, paragraphs=frozenset(paragraphs[key])) for key, found in best.items())
    return sorted(stated, key=lambda f: (-f.score, f.sentence.paragraph, f.start))


def in_sentence(page: Page, sentence: Sentence, asked: Asked) -> Iterator[AnswerSpan]:
    """Yield the answers of one sentence: every value with how plainly it is stated."""
    if asked.kind == "definition":
        yield from definition_of(page, sentence)
        return
    lead = asked.noun if asked.kind == "count" and asked.noun else asked.words[0] if asked.words else ""
    places_asked = _PLACES.intersection(asked.words) if asked.noun == lead else frozenset[str]()
    rest = tuple(w for w in asked.words if w != lead and w not in places_asked)
    covered = 1.0
    for word in rest:
        covered *= _covers(page, sentence, word, asked)
    for year in asked.years:
        covered *= 1.0 if any(t.text == year for t in sentence.tokens) else _MISSED
    if covered < 0.2:
        return
    focus = frozenset(key for w in rest for key in said_by(w))
    triggers = list(places(sentence.tokens, lead))
    if asked.kind == "count":
        triggers += [p for w in rest for p in places(sentence.tokens, w)]
    if triggers:
        own = own_places(page, sentence)
        longer = [(n.first, n.last) for n in sentence.names if n.last > n.first > 0]  # "Be Your Own Pet"
        triggers = [t for t in triggers if not any(a <= t[0] <= b for a, b in (*own, *longer))]
    if asked.kind == "place" and not triggers:
        triggers = _copula(page, sentence, lead)
    if asked.kind == "person" and asked.agent and lead in _MAKING:
        yield from _works_by(page, sentence, asked, focus, covered)
    if lead in _COLOUR:
        yield from _coloured(page, sentence, asked, focus, covered)
    if asked.kind == "date" and lead in _HAPPENING and sentence.subject == "topic" and sentence.paragraph == 0:
        dates = [v for v in sentence.values if v.kind == "date" and v.first > sentence.head]
        yield from (_value(sentence, v, 0.85 * covered) for v in dates[:1])
    if asked.kind == "date" and lead in _LIFE:
        yield from _lifetime(page, sentence, lead)
    for first, last, worth in triggers:
        said_of = about(page, sentence, first, focus, asked)
        weight = covered * worth * said_of
        if places_asked and places_asked.isdisjoint(t.stem for t in sentence.tokens[max(first - 2, 0) : first]):
            weight *= _MISSED  # "his first cousin was the mother of his wife" says nothing of a first wife
        if asked.noun == lead and not asked.superlatives <= {t.low for t in sentence.tokens[max(first - 4, 0) : first]}:
            weight *= _MISSED  # "two large islands and two cities" says nothing of the largest city
        if weight < 0.2:
            continue
        linked = list(_linked(page, sentence, asked, (first, last), focus))
        for found in (
            *_with_enumerated(page, sentence, asked, (first, last), linked),
            *_labelled(sentence, asked, (first, last)),
        ):
            score = found.score * weight * _timely(sentence, asked, found)
            word = sentence.text[sentence.tokens[first].start : sentence.tokens[last].end]
            yield replace(found, score=round(score, 4), word=word)


def _covers(page: Page, sentence: Sentence, word: str, asked: Asked) -> float:
    """Return how well a sentence covers a further word of the question."""
    worth_of_word = max((worth for *_, worth in places(sentence.tokens, word)), default=0.0)
    if worth_of_word:
        return worth_of_word
    heading = set(sentence.heading.lower().split())
    if word in page.types or word in heading or any(w.startswith(word) for w in heading if len(word) > 3):
        return _HEADING
    return _KIND_MISSED if word == asked.noun and (asked.kinds or asked.kind == "name") else _MISSED


def _works_by(page: Page, s: Sentence, asked: Asked, focus: frozenset[str], covered: float) -> Iterator[AnswerSpan]:
    """Find the author of a work in wording such as "_ by Imogen Laird"."""
    for i in range(len(s.tokens) - 2):
        length = page.named(s.tokens, i)
        if length and i + length < len(s.tokens) and s.tokens[i + length].low == "by":
            for n in _names(page, s):
                if not n.kinds or n.kinds & asked.kinds:
                    score = statement_scores.doer(s.tokens, (i, i + length - 1), (n.first, n.last), page, focus)
                    yield replace(_named(s, n, round(0.85 * covered * score, 4)), word="by")


def _coloured(page: Page, s: Sentence, asked: Asked, focus: frozenset[str], covered: float) -> Iterator[AnswerSpan]:
    """Find the colour of the sentence's subject, such as "is painted red" or "pale yellow"."""
    for i, t in enumerate(s.tokens):
        if t.low not in _COLOURS:
            continue
        first = i - (i > 0 and s.tokens[i - 1].low in _SHADES)
        before = {w.low for w in s.tokens[max(first - 6, 0) : first]}
        said = bool(before & {"is", "are", "was", "were", "of"}) or any(w.stem in {"paint", "colour"} for w in s.tokens)
        if said and (s.subject == "topic" or focus):
            said_of = about(page, s, i, focus, asked)
            text = s.text[s.tokens[first].start : t.end]
            yield AnswerSpan(
                text, text_key(text), s, s.tokens[first].start, t.end, round(0.8 * covered * said_of, 4), "colour"
            )


def _timely(sentence: Sentence, asked: Asked, found: AnswerSpan) -> float:
    """Return a lower score for a past state if the question asks about the present."""
    if asked.past or asked.kind not in {"person", "count", "name"} or asked.years:
        return 1.0
    at = next((i for i, t in enumerate(sentence.tokens) if t.start >= found.start), 0)
    near = {t.low for t in sentence.tokens[max(at - 4, 0) : at + 3]}
    return 0.5 if near & _FORMER else 1.0


def _linked(
    page: Page, s: Sentence, asked: Asked, word: tuple[int, int], focus: frozenset[str]
) -> Iterator[AnswerSpan]:
    kind = asked.kind
    if kind == "person":
        yield from _persons(page, s, asked, word, focus)
    elif kind == "date":
        for v in s.values:
            if v.kind == "date":
                yield _value(s, v, statement_scores.when(s.tokens, word, (v.first, v.last)))
    elif kind == "place":
        for n in _names(page, s):
            if "person" not in n.kinds and "people" not in n.kinds:
                worth = 1.0 if "place" in n.kinds or not n.kinds else 0.9
                yield _named(s, n, worth * statement_scores.score_place(s.tokens, word, (n.first, n.last)))
    elif kind == "count":
        for v in s.values:
            if v.kind == "number" and not v.dimension:
                yield _value(s, v, statement_scores.counted(s.tokens, word, (v.first, v.last)))
    elif kind == "measure":
        for v in s.values:
            if v.kind == "number" and v.dimension in asked.dimensions and not _above_sea(s, v, asked):
                yield _value(s, v, statement_scores.measured(s.tokens, word, (v.first, v.last)))
    elif kind == "cause":
        yield from _phrased(s, reason(s, word))
    else:
        yield from _things(page, s, asked, word, focus)


def _labelled(s: Sentence, asked: Asked, word: tuple[int, int]) -> Iterator[AnswerSpan]:
    """Yield what follows the label of a line: a value of the kind that is asked for, else the whole text."""
    for v in s.values:
        fits = {"date": v.kind == "date", "count": v.kind == "number" and not v.dimension, "measure": bool(v.dimension)}
        if fits.get(asked.kind, False):
            yield _value(s, v, statement_scores.labelled(s.tokens, word, (v.first, v.last)))
    if asked.kind in {"person", "place", "name", "thing"}:
        begins = next((i + 1 for i, t in enumerate(s.tokens[:7]) if t.text in {":", "|"}), len(s.tokens))
        ends = next((i for i in range(begins, len(s.tokens)) if s.tokens[i].text in {"(", "|", ";"}), len(s.tokens)) - 1
        if begins <= ends:
            yield from _phrased(s, (begins, ends, statement_scores.labelled(s.tokens, word, (begins, ends))))


def _persons(
    page: Page, s: Sentence, asked: Asked, word: tuple[int, int], focus: frozenset[str]
) -> Iterator[AnswerSpan]:
    previous: Name | None = None
    linked = 0.0
    if not asked.noun and _by_another(s, asked, word):
        return
    for n in _names(page, s):
        if n.kinds and not n.kinds & asked.kinds:
            continue
        span = (n.first, n.last)
        worth = 1.0 if not n.kinds or n.kinds & {"person"} else 0.95
        score = max(
            statement_scores.doer(s.tokens, word, span, page, focus) if asked.agent else 0.0,
            statement_scores.holder(s.tokens, word, span)
            if asked.noun in {"", asked.words[0]} and s.tokens[word[1]].low not in _NO_HOLDERS
            else 0.0,
            statement_scores.done_to(s.tokens, word, span)
            if (not asked.noun and not asked.agent) or s.tokens[word[0]].stem == "marry"
            else 0.0,
        )
        if not score and previous is not None and linked and _joined(s, previous, n):
            score = linked * 0.98
        previous, linked = n, score
        yield _named(s, n, score * worth)


def _with_enumerated(
    page: Page, s: Sentence, asked: Asked, word: tuple[int, int], found: list[AnswerSpan]
) -> list[AnswerSpan]:
    """Return the answers with all names of an enumeration behind the asked word whose first name is an answer."""
    if asked.kind not in {"person", "name", "thing"} or not any(f.name and f.score for f in found):
        return found
    own = set(_names(page, s))
    kinds = {n.first: n.kinds for n in s.names}
    for spans in enumerations(s.tokens, s.names, works=asked.kind != "person"):
        start, end = s.tokens[spans[0][0]].start, s.tokens[spans[-1][1]].end
        inside = [f for f in found if start <= f.start and f.end <= end]
        first = max((f.score for f in inside if f.name and f.end <= s.tokens[spans[0][1]].end), default=0.0)
        if spans[0][0] < word[1] or not first:
            continue
        listed = [
            Name(a, b, s.text[s.tokens[a].start : s.tokens[b].end], kinds.get(a, frozenset()))
            for a, b in spans
            if any(a <= n.first and n.last <= b for n in own)
        ]
        fitting = [n for n in listed if asked.kind != "person" or not n.kinds or n.kinds & asked.kinds]
        found = [f for f in found if f not in inside] + [_named(s, n, first) for n in fitting]
    return found


def _by_another(s: Sentence, asked: Asked, word: tuple[int, int]) -> bool:
    """Return whether the word only describes somebody who did something else: "opened by the architect _"."""
    low = [t.low for t in s.tokens[max(word[0] - 3, 0) : word[0]]]
    verb = s.tokens[word[0] - 3] if word[0] > 2 else None
    return len(low) == 3 and low[1] == "by" and verb is not None and verb.stem not in said_by(asked.words[0])


def _joined(s: Sentence, one: Name, other: Name) -> bool:
    """Return whether two names are joined by "and": "by _ and her former student _"."""
    between = s.tokens[one.last + 1 : other.first]
    inside = [t.low for t in between]
    if any(kind_of(t.text) in {VERB, AUXILIARY, PREPOSITION} for t in between):
        return False
    return bool(inside) and inside[0] in {"and", ",", "&"} and "and" in inside[:2] + inside[-1:] and len(inside) <= 5


def _things(
    page: Page, s: Sentence, asked: Asked, word: tuple[int, int], focus: frozenset[str]
) -> Iterator[AnswerSpan]:
    if asked.words[0] in {"call"} and word[1] + 1 < len(s.tokens) and s.tokens[word[1] + 1].low == "after":
        return
    placed = asked.kinds == {"place"} and asked.words[0] in _LIFE
    for n in _names(page, s):
        span = (n.first, n.last)
        if placed and not statement_scores.score_place(s.tokens, word, span):  # "born Reginald Dwight"
            continue
        fits = not asked.kinds or not n.kinds or bool(n.kinds & asked.kinds)
        score = max(
            statement_scores.done_to(s.tokens, word, span),
            statement_scores.holder(s.tokens, word, span) if asked.noun == asked.words[0] else 0.0,
        )
        if asked.agent:
            score = max(score, statement_scores.doer(s.tokens, word, span, page, focus))
        called = _calls(s, n, asked.noun)
        yield _named(
            s, n, score * (1.0 if fits else 0.6) * (1.0 if called or asked.kind != "name" or not asked.noun else 0.9)
        )
    for v in s.values:
        if v.kind == "quote" or (v.kind == "number" and asked.kind == "thing" and asked.words[0] != "mak of"):
            span = (v.first - (v.kind == "quote"), v.last + (v.kind == "quote"))
            score = max(
                statement_scores.done_to(s.tokens, word, span),
                statement_scores.holder(s.tokens, word, span) if asked.noun == asked.words[0] else 0.0,
            )
            yield _value(s, v, score)
    if not placed:
        yield from _phrased(s, noun_phrase(s, word, noun=asked.noun == asked.words[0]))


def _above_sea(s: Sentence, v: ValueSpan, asked: Asked) -> bool:
    """Return whether a length is the altitude of a place, although the question asks for something's own size."""
    behind = [t.low for t in s.tokens[v.last + 1 : v.last + 4]]
    return behind == ["above", "sea", "level"] and asked.words[0] not in {"high", "elevation", "altitud"}


def _calls(s: Sentence, n: Name, noun: str) -> bool:
    """Return whether a name includes its kind: "River Tavel", "the city of Tresk"."""
    return any(t.stem == noun for t in s.tokens[max(n.first - 2, 0) : n.last + 2])


def _phrased(s: Sentence, span: tuple[int, int, float] | None) -> Iterator[AnswerSpan]:
    if span is not None:
        first, last, score = span
        text = s.text[s.tokens[first].start : s.tokens[last].end]
        yield AnswerSpan(text, text_key(text), s, s.tokens[first].start, s.tokens[last].end, score)


def definition_of(page: Page, s: Sentence) -> Iterator[AnswerSpan]:
    """Yield what the first sentence about the thing says that the thing is."""
    if s.subject == "topic":
        for found in _phrased(s, definition(s)):
            yield replace(found, score=found.score * (1.0 if s.paragraph == 0 else 0.8))


def _copula(page: Page, s: Sentence, lead: str) -> list[tuple[int, int, float]]:
    """Match a definition such as "_ is a village in": the sentence that says what a thing is also says where it is."""
    if s.subject != "topic" or lead not in {"locat", "li", "situat", "bas", "from", "tak place", "hold", "liv"}:
        return []
    at = next((i for i, t in enumerate(s.tokens) if i > s.head and t.low in BE), -1)
    return [(at, at, 0.9)] if at > 0 else []


def _lifetime(page: Page, s: Sentence, lead: str) -> Iterator[AnswerSpan]:
    """Yield dates in brackets after the name: "(12 August 1899 – 30 January 1977)"."""
    if s.subject != "topic":
        return
    opened = next((i for i in range(s.head + 1, min(s.head + 3, len(s.tokens))) if s.tokens[i].text == "("), -1)
    closed = next((i for i in range(opened, len(s.tokens)) if s.tokens[i].text == ")"), -1) if opened >= 0 else -1
    dates = [v for v in s.values if v.kind == "date" and opened < v.first and v.last < closed]
    dashed = any(t.text in {"–", "-", "—"} for t in s.tokens[opened:closed]) if opened >= 0 else False
    if len(dates) == 2 and dashed:
        yield _value(s, dates[0] if lead == "bear" else dates[1], 0.97)


def _names(page: Page, s: Sentence) -> Iterable[Name]:
    """Yield the names in a sentence except the page's own.

    Names may nest ("The Man and the Sea") or be part of another name.
    """
    own = own_places(page, s)
    title = f" {page.called[0].partition(',')[0].casefold()} " if page.called else ""
    for n in s.names:
        if f" {n.text.casefold()} " not in title and not any(
            a <= n.last and n.first <= b and not (n.first <= a and b <= n.last and b - a < n.last - n.first)
            for a, b in own
        ):
            yield n


def own_places(page: Page, s: Sentence) -> list[tuple[int, int]]:
    """Return where the sentence names the page's subject, as (first, last) token."""
    found = []
    at = 0
    while at < len(s.tokens):
        length = page.named(s.tokens, at)
        if length:
            found.append((at, at + length - 1))
        at += max(length, 1)
    return found


def _value(s: Sentence, v: ValueSpan, score: float) -> AnswerSpan:
    return AnswerSpan(v.text, v.key, s, s.tokens[v.first].start, s.tokens[v.last].end, score)


def _named(s: Sentence, n: Name, score: float) -> AnswerSpan:
    start = s.tokens[n.first].start
    return AnswerSpan(n.text, text_key(n.text), s, start, s.tokens[n.last].end, score, name=True)

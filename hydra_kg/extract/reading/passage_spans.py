"""Find likely answers in any passage, scored by how well their sentence covers the words of the question.

The reader of :mod:`answering` wants a page about the named thing and a plain wording. This one takes any passage that a
search found: each name, value or phrase of the asked kind is a candidate. Its score is the product of the share of the
question's words that the sentence, its heading and the title account for, of how well the candidate fits the asked
kind, and of how near it is to the words of the question.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from hydra_kg.extract.demonyms import is_demonym
from hydra_kg.extract.reading.open_question import OpenQuestion, Term
from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.page_question import ARTICLES, BE, asked
from hydra_kg.extract.reading.sentence_answers import answers, own_places
from hydra_kg.extract.reading.sentence_names import Name
from hydra_kg.extract.reading.sentence_values import text_key
from hydra_kg.extract.reading.statement_scores import BREAKS
from hydra_kg.extract.reading.word_groups import said_by
from hydra_kg.extract.word_classes import CONJUNCTION, FUNCTION, NOUN, PREPOSITION
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import ordinal_number
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.util.fast_dataclass import dataclass, replace

_TITLE_WEIGHT: Final = 2.0
"""Most weight of all words of the question that are in the title together."""
_LEAST_PREFIX: Final = 5  # letters that "chairs" and "chairman" share
_TITLED: Final = 0.95
_IN_HEADING: Final = 0.9
_IN_PASSAGE: Final = 0.4
"""Worth of a word of the question that only another sentence of the passage has."""
_FOUND: Final = 0.8
_SAID: Final = 0.5  # worth from which a sentence, its heading or title says a term
_UNSAID_NAME: Final = 0.4
"""Factor for each name of the question that neither sentence nor title has."""
_FAR: Final = 10.0  # tokens in which nearness falls to 1/e
_LONE: Final = 0.35
"""Nearness where the sentence has no word of the question but those of the title."""
_OTHER_TITLE: Final = 0.85
"""Factor for a sentence in a passage about something that the question does not name."""
_PLAIN: Final = 0.6
_PHRASE: Final = 14  # most tokens of a phrase that answers "what"
_NATIONALITY: Final = "nationality"
_LANGUAGE: Final = "languag"
_WIDER: Final = frozenset({"stat", "country", "provinc", "county"})
_NARROWER: Final = frozenset({"city", "town", "villag"})
"""Stems of nouns for the last and the first part of an address: "Portland, Oregon"."""
_NUMBERED: Final = frozenset({"age", "number"})
"""Stems of nouns that ask for a number: "at what age", "what number"."""


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


def likely_answers(page: Page, question: OpenQuestion) -> list[LikelyAnswer]:
    """Return the candidates of all sentences of a passage, best first."""
    title = [t for t in tokenise(page.called[0] if page.called else "") if t.word]
    about = bool(title) and all(t.low in question.words for t in title if t.low not in FUNCTION)
    titled = title_worths(page.called[0] if page.called else "", question.terms)
    stems = frozenset().union(*(s.stems for s in page.sentences)) if page.sentences else frozenset()
    plain = _plainly(page, question, title) if about else {}
    found = []
    for s in statements(page):
        places, covered = _coverage(s, question.terms, titled, stems)
        near = {t: at for t, at in places.items() if at and titled[t] < _FOUND}
        for c, fit in candidates_of(page, s, question, about=about):
            local = nearness(s.tokens, near, c)
            said = plain.get((s.start, c.text.casefold()), 0.0)
            if c.first > c.last:  # the title itself
                local = _FOUND if s.subject == "topic" else _IN_PASSAGE
            elif said >= _PLAIN:
                local, fit = max(local, said), max(fit, _TITLED)
            elsewhere = 1.0 if about or c.first > c.last else _OTHER_TITLE
            score = elsewhere * covered**2 * fit * (0.4 + 0.6 * local)
            found.append(replace(c, score=round(score, 4), covered=round(covered, 4)))
    return sorted(found, key=lambda c: (-c.score, c.sentence.start, c.first))


def statements(page: Page) -> Iterator[Sentence]:
    """Yield the sentences that state something. A question above others is a heading of theirs: "How far is it? …"."""
    asked_at, question = -1, ""
    for s in page.sentences:
        question = question if s.paragraph == asked_at else ""
        if s.text.rstrip("*_ ").endswith("?"):
            asked_at, question = s.paragraph, s.text
        else:
            yield replace(s, heading=f"{s.heading} {question}".strip())


def _plainly(page: Page, question: OpenQuestion, title: Sequence[Token]) -> Mapping[tuple[int, str], float]:
    """Return how plainly the page states a value, by sentence and text, as the reader of pages sees it."""
    called = {t.low for t in title}
    at = question.text.casefold().find(page.called[0].casefold())
    spans = [(t.start, t.end) for t in tokenise(question.text) if t.low in called]
    shape = asked(question.text, [(at, at + len(page.called[0]))] if at >= 0 else spans)
    if shape is None or shape.kind in {"whether", "definition"}:
        return {}
    return {(f.sentence.start, f.text.casefold()): f.score for f in answers(page, shape)}


def said_share(question: OpenQuestion, text: str) -> float:
    """Return the share of the question's words that a text has, from 0 to 1."""
    tokens = [t for t in tokenise(text) if t.word]
    weight = sum(t.weight for t in question.terms)
    said = sum(term.weight * max((_likeness(term, t) for t in tokens), default=0.0) for term in question.terms)
    return said / weight if weight else 1.0


def coverage(sentence: Sentence, question: OpenQuestion, title: str) -> float:
    """Return the share of the question's words that a sentence, its heading and its title account for, from 0 to 1.

    It is 0 if they lack a name of the question, or have only names of it.
    """
    terms, titled = question.terms, title_worths(title, question.terms)
    _, worth = term_worths(sentence, terms, titled)
    named = all(worth[t] >= _SAID for t in terms if t.name)
    others = [worth[t] >= _SAID for t in terms if not t.name]
    fits = named and (any(others) or not others)
    return weigh_terms(worth, {t for t in terms if titled[t] >= _FOUND}) if fits else 0.0


def _coverage(
    s: Sentence, terms: Sequence[Term], titled: Mapping[Term, float], passage: frozenset[str]
) -> tuple[dict[Term, list[int]], float]:
    """Return where the sentence has each term, and the weighted share of the terms that it accounts for."""
    places, worth = term_worths(s, terms, titled, passage)
    return places, weigh_terms(worth, {t for t in terms if titled[t] >= _FOUND})


def title_worths(title: str, terms: Sequence[Term]) -> dict[Term, float]:
    """Return how surely a title has each term, from 0 to 1."""
    words = [t for t in tokenise(title) if t.word]
    return {term: max((_likeness(term, t) for t in words), default=0.0) for term in terms}


def term_worths(
    s: Sentence, terms: Sequence[Term], titled: Mapping[Term, float], passage: frozenset[str] = frozenset()
) -> tuple[dict[Term, list[int]], dict[Term, float]]:
    """Return where the sentence has each term, and how well it, its heading, title and passage account for it."""
    heading = tokenise(s.heading)
    places: dict[Term, list[int]] = {}
    worth: dict[Term, float] = {}
    for term in terms:
        alike = [(_likeness(term, t), i) for i, t in enumerate(s.tokens) if t.word]
        places[term] = [i for value, i in alike if value >= _FOUND]
        worth[term] = max(
            max((value for value, _ in alike), default=0.0),
            _IN_HEADING * max((_likeness(term, t) for t in heading), default=0.0),
            titled[term] * (_TITLED if s.subject in {"topic", "part"} else _FOUND),
            _IN_PASSAGE * (term.stem in passage),
        )
    return places, worth


def weigh_terms(worth: Mapping[Term, float], titled: Collection[Term]) -> float:
    """Return the weighted share of the terms that is accounted for. Words of titles count little together."""
    weight = sum(t.weight for t in titled)
    scale = min(weight, _TITLE_WEIGHT) / weight if weight else 0.0
    weights = {t: t.weight * (scale if t in titled else 1.0) for t in worth}
    total = sum(weights.values())
    covered = sum(weights[t] * worth[t] for t in worth) / total if total else 0.0
    return covered * _UNSAID_NAME ** sum(t.name and worth[t] <= _IN_PASSAGE for t in worth)


def _likeness(term: Term, token: Token) -> float:
    """Return how surely a token says a term: the same word, a word of its group, or the same long beginning."""
    if token.stem == term.stem or token.low == term.low:
        return 1.0
    if worth := said_by(term.stem).get(token.stem, 0.0):
        return worth
    a, b = sorted((token.low, term.low), key=len)
    if term.name:
        return _FOUND if token.capital and len(a) > 3 and b.startswith(a[:-1]) and len(b) - len(a) < 4 else 0.0
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return _FOUND if shared >= _LEAST_PREFIX and shared >= 0.6 * len(b) else 0.0


def nearness(tokens: Sequence[Token], places: Mapping[Term, Sequence[int]], c: LikelyAnswer) -> float:
    """Return how near a candidate is to the terms of its sentence, from 0 to 1."""
    weight = sum(t.weight for t in places)
    if not weight:
        return _LONE
    near = (t.weight * math.exp(-min(_distance(tokens, i, c) for i in at) / _FAR) for t, at in places.items())
    return sum(near) / weight


def _distance(tokens: Sequence[Token], at: int, c: LikelyAnswer) -> int:
    if c.first <= at <= c.last:
        return 0
    inside = tokens[c.last + 1 : at] if at > c.last else tokens[at + 1 : c.first]
    return len(inside) + 6 * sum(t.low in BREAKS for t in inside) + 3 * sum(t.text == "," for t in inside)


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
    if kind == "date":
        yield from ((_span(s, v.first, v.last, v.text, v.key), 1.0) for v in s.values if v.kind == "date")
    elif kind in {"count", "measure"} or question.noun in _NUMBERED:
        yield from _numbers(s, question)
    else:
        if not about and (fit := _title_fit(page, s, question)):
            title = page.called[0]
            yield LikelyAnswer(title, text_key(title), s, 0, -1, 0.0, 0.0, name=True), fit
        yield from _names(page, s, question)
        if kind in {"name", "thing"}:
            quotes = (v for v in s.values if v.kind == "quote")
            yield from ((_span(s, v.first, v.last, v.text, v.key), _FOUND) for v in quotes)
    for c, fit in _labelled(s, question):
        if any(t.word and t.low not in FUNCTION | question.words for t in s.tokens[c.first : c.last + 1]):
            yield c, fit


_DISTANCES: Final = list_words("distance_in_time")
"""Words behind a duration that is the distance to another event, and nobody's age."""


def _numbers(s: Sentence, question: OpenQuestion) -> Iterator[tuple[LikelyAnswer, float]]:
    kind = question.asked.kind
    for v in s.values:
        if v.kind != "number" or v.text in question.words:
            continue
        if kind == "measure":
            aged = "age" in question.asked.words[:1] and any(
                t.stem == "age" for t in s.tokens[max(v.first - 2, 0) : v.first]
            )
            after = s.tokens[v.last + 1].low if v.last + 1 < len(s.tokens) else ""  # "ten years later"
            fit = 1.0 if aged or (v.dimension in question.asked.dimensions and after not in _DISTANCES) else 0.0
        elif kind == "count":
            unit = (s.tokens[v.last].stem,) if v.dimension else ()  # "how many days"
            before = (t.stem for t in s.tokens[max(v.first - 2, 0) : v.first])  # "a population of 6,960"
            around = (*unit, *v.counted, *before)
            counts = any(stem == question.noun or stem in said_by(question.noun) for stem in around)
            fit = 1.0 if counts else 0.15 if v.dimension else 0.45
            fit *= 0.5 if _is_year(s.tokens[v.first].text) else 1.0  # "the 2011 census"
        else:
            fit = 1.0
        if fit:
            yield _span(s, v.first, v.last, v.text, v.key), fit
    if kind not in {"count", "measure"}:
        ordinals = (i for i, t in enumerate(s.tokens) if ordinal_number(t.low))
        yield from ((_span(s, i, i, s.tokens[i].text, text_key(s.tokens[i].text)), 0.9) for i in ordinals)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[0] in "12"


def _title_fit(page: Page, s: Sentence, question: OpenQuestion) -> float:
    """Return how well the subject of the passage itself fits: the page of a keeper for "which keeper"."""
    kind = question.asked.kind
    if kind == "person":
        return 1.0 if page.person else 0.3 if s.subject == "topic" else 0.0
    if kind == "place":
        return 0.0 if page.person else 0.5
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
            fit = _name_fit(s, n, question) * (0.6 if asked_in_it else 1.0)
            yield replace(_span(s, n.first, n.last, n.text, text_key(n.text)), name=True), fit


def _name_fit(s: Sentence, n: Name, question: OpenQuestion) -> float:
    if question.asked.kind == "person":
        fit = 1.0 if n.kinds == {"person"} or (not n.kinds and n.last > n.first) else 0.8
        fit = 0.2 if n.kinds and not n.kinds & {"person", "organisation"} else fit
        follows = s.tokens[n.last + 1] if n.last + 1 < len(s.tokens) else None
        describes = follows is not None and (follows.text == "-" or (follows.word and kind_of(follows.text) == NOUN))
        peoples = any(is_demonym(t.low.rstrip("s")) for t in s.tokens[n.first : n.last + 1])
        return fit * (0.3 if describes else 1.0) * (0.3 if peoples else 1.0)
    if question.asked.kind == "place":
        before = s.tokens[n.first - 1].low if n.first else ""
        led = 1.0 if kind_of(before) == PREPOSITION or n.kinds & {"place", "organisation"} else 0.2
        return led * (0.3 if "person" in n.kinds else 1.0)
    around = s.tokens[max(n.first - 2, 0) : n.last + 2]
    if question.noun in _WIDER | _NARROWER:
        after = n.first > 1 and s.tokens[n.first - 1].text == "," and any(m.last == n.first - 2 for m in s.names)
        followed = any(m.first == n.last + 2 and s.tokens[n.last + 1].text == "," for m in s.names)
        if after or followed:
            return 1.0 if (question.noun in _WIDER) == (after and not followed) else 0.3
        return _FOUND if n.first and kind_of(s.tokens[n.first - 1].low) == PREPOSITION else 0.3
    called = question.noun and any(t.stem == question.noun or t.stem in said_by(question.noun) for t in around)
    fit = 1.0 if called else 0.6 if question.noun else 0.7
    return fit * (0.4 if question.asked.kinds and n.kinds and not question.asked.kinds & n.kinds else 1.0)


def _in_longer_quote(s: Sentence, n: Name) -> bool:
    """Return True if a name is only a part of a quoted title."""
    longer = (v for v in s.values if v.kind == "quote" and v.last - v.first > n.last - n.first)
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
    return token.word and any(_likeness(term, token) for term in question.terms)


def _back(tokens: Sequence[Token], at: int) -> Iterable[Token]:
    """Return the tokens before a mark, back to the mark before it."""
    begin = next((i + 1 for i in range(at - 1, -1, -1) if tokens[i].text in {"|", ";"}), 0)
    return tokens[begin:at]


def _span(s: Sentence, first: int, last: int, text: str, key: str) -> LikelyAnswer:
    return LikelyAnswer(text, key, s, first, last, 0.0, 0.0)


def joined_with(best: LikelyAnswer, others: Iterable[LikelyAnswer]) -> list[LikelyAnswer]:
    """Return the best answer and the names that its sentence lists with it: "by Ada Lund, Bo Rask and Cy Holm"."""
    same = [c for c in others if c.name and c.sentence is best.sentence and c.first <= c.last]
    group = sorted({(c.first, c.last): c for c in [best, *same]}.values(), key=lambda c: c.first)
    at = group.index(best)
    low = high = at
    while low and _listed(group[low - 1], group[low]):
        low -= 1
    while high + 1 < len(group) and _listed(group[high], group[high + 1]):
        high += 1
    return [best, *(c for c in group[low : high + 1] if c is not best)]


def _listed(one: LikelyAnswer, other: LikelyAnswer) -> bool:
    between = one.sentence.tokens[one.last + 1 : other.first]
    return 0 < len(between) < 3 and all(t.text == "," or kind_of(t.text) == CONJUNCTION for t in between)

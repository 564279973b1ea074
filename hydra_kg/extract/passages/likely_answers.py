"""Find likely answers in any passage, scored by how well their sentence covers the words of the question.

The reader of :mod:`answering` wants a page about the named thing and a plain wording. This one takes any passage that a
search found: each name, value or phrase of the asked kind is a candidate. Its score is the product of the share of the
question's words that the sentence, its heading and the title account for, of how well the candidate fits the asked
kind, and of how near it is to the words of the question.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from hydra_kg.extract.passages.open_question import OpenQuestion, Term
from hydra_kg.extract.passages.values_in_sentences import FOUND, LikelyAnswer, candidates_of, likeness
from hydra_kg.extract.reading.enumerations import enumerations
from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.page_question import asked
from hydra_kg.extract.reading.sentence_answers import answers
from hydra_kg.extract.reading.sentence_values import text_key
from hydra_kg.extract.reading.statement_scores import BREAKS
from hydra_kg.extract.reading.word_groups import said_by
from hydra_kg.extract.word_classes import CONJUNCTION, FUNCTION
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.util.fast_dataclass import replace

_TITLE_WEIGHT: Final = 2.0
"""Most weight of all words of the question that are in the title together."""
_TITLED: Final = 0.95
_IN_HEADING: Final = 0.9
_OF_NEW: Final = 0.4
"""Factor for a date of something new on the page of the thing that is asked about: "A plant opens in 2026"."""
_IN_PASSAGE: Final = 0.4
"""Worth of a word of the question that only another sentence of the passage has."""
_SAID: Final = 0.5  # worth from which a sentence, its heading or title says a term
_UNSAID_NAME: Final = 0.4
"""Factor for each name of the question that neither sentence nor title has."""
_ONLY_NAMES: Final = 0.25
"""Factor for a sentence that has names of the question, and none of its other words."""
_FAR: Final = 10.0  # tokens in which nearness falls to 1/e
_LONE: Final = 0.35
"""Nearness where the sentence has no word of the question but those of the title."""
_OTHER_TITLE: Final = 0.85
"""Factor for a sentence in a passage about something that the question does not name."""
_APART: Final = 0.9
"""Factor for a candidate that other words part from every asked word: first of 46 instead of 43 of 77 questions."""
_OTHER_YEAR: Final = 0.4
"""Factor for a sentence that has other years than the question."""
_PLAIN: Final = 0.6


def likely_answers(page: Page, question: OpenQuestion) -> list[LikelyAnswer]:
    """Return the candidates of all sentences of a passage, best first."""
    title = [t for t in tokenise(page.called[0] if page.called else "") if t.word]
    about = bool(title) and all(t.low in question.words for t in title if t.low not in FUNCTION)
    titled = title_worths(page.called[0] if page.called else "", question.terms)
    stems = frozenset().union(*(s.stems for s in page.sentences)) if page.sentences else frozenset()
    plain = _plainly(page, question, title) if about else {}
    found = []
    for s in statements(page):
        places, worth = term_worths(s, question.terms, titled, stems)
        covered = weigh_terms(worth, {t for t in question.terms if titled[t] >= FOUND})
        others = [t for t in question.terms if not (t.name or t.noun)]
        only_names = bool(others) and max(worth[t] for t in others) <= _IN_PASSAGE
        near = {t: at for t, at in places.items() if at and titled[t] < FOUND}
        elsewhen = _says_another_year(s, question)
        unnamed = any(t.name and titled[t] >= FOUND and not places[t] for t in question.terms)
        elsewho = question.asked.kind == "date" and unnamed and _is_of_new(s)
        for c, fit in candidates_of(page, s, question, about=about):
            local = nearness(s.tokens, near, c)
            said = plain.get((s.start, c.text.casefold()), 0.0)
            if c.first > c.last:  # the title itself
                local = FOUND if s.subject == "topic" else _IN_PASSAGE
            elif said >= _PLAIN:
                local, fit = max(local, said), max(fit, _TITLED)
            elif only_names:
                fit *= _ONLY_NAMES
            elsewhere = 1.0 if about or c.first > c.last else _OTHER_TITLE
            direct = is_direct(s, c, near)
            elsewhere *= _OTHER_YEAR if elsewhen else 1.0
            elsewhere *= _OF_NEW if elsewho else 1.0
            score = elsewhere * covered**2 * fit * (0.4 + 0.6 * local) * (1.0 if direct else _APART)
            found.append(replace(c, score=round(score, 4), covered=round(covered, 4), direct=direct))
    return sorted(found, key=lambda c: (-c.score, c.sentence.start, c.first))


def _says_another_year(s: Sentence, question: OpenQuestion) -> bool:
    """Return True if the question has a year, and the sentence has others instead."""
    years = {t.text for t in s.tokens if len(t.text) == 4 and t.text.isdigit()}
    asked_years = {t.low for t in question.terms if len(t.low) == 4 and t.low.isdigit()}
    return bool(asked_years and years) and asked_years.isdisjoint(years)


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
    said = sum(term.weight * max((likeness(term, t) for t in tokens), default=0.0) for term in question.terms)
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
    return weigh_terms(worth, {t for t in terms if titled[t] >= FOUND}) if fits else 0.0


def title_worths(title: str, terms: Sequence[Term]) -> dict[Term, float]:
    """Return how surely a title has each term, from 0 to 1."""
    words = [t for t in tokenise(title) if t.word]
    return {term: max((likeness(term, t) for t in words), default=0.0) for term in terms}


def term_worths(
    s: Sentence, terms: Sequence[Term], titled: Mapping[Term, float], passage: frozenset[str] = frozenset()
) -> tuple[dict[Term, list[int]], dict[Term, float]]:
    """Return where the sentence has each term, and how well it, its heading, title and passage account for it."""
    heading, referred = tokenise(s.heading), tokenise(s.refers_to)
    places: dict[Term, list[int]] = {}
    worth: dict[Term, float] = {}
    for term in terms:
        alike = [(likeness(term, t), i) for i, t in enumerate(s.tokens) if t.word]
        if s.subject != "topic":  # "since 2019" says when a thing was founded only of the thing itself
            alike = [(value, i) for value, i in alike if not _is_implied(term, s.tokens[i])]
        places[term] = [i for value, i in alike if value >= FOUND]
        worth[term] = max(
            max((value for value, _ in alike), default=0.0),
            _IN_HEADING * max((likeness(term, t) for t in heading), default=0.0),
            _IN_HEADING * any(term.stem == t.stem for t in referred),
            titled[term] * (_TITLED if s.subject in {"topic", "part"} else FOUND),
            _IN_PASSAGE * (term.stem in passage),
        )
    return places, worth


def _is_of_new(s: Sentence) -> bool:
    """Return True if a sentence begins with something that was not named before: "A recycling plant opens"."""
    return s.tokens[0].low in {"a", "an"}


def _is_implied(term: Term, token: Token) -> bool:
    """Return True if a word may express another one that does not express it: "since" for "founded"."""
    return token.stem in said_by(term.stem) and term.stem not in said_by(token.stem)


def weigh_terms(worth: Mapping[Term, float], titled: Collection[Term]) -> float:
    """Return the weighted share of the terms that is accounted for. Words of titles count little together."""
    weight = sum(t.weight for t in titled)
    scale = min(weight, _TITLE_WEIGHT) / weight if weight else 0.0
    weights = {t: t.weight * (scale if t in titled else 1.0) for t in worth}
    total = sum(weights.values())
    covered = sum(weights[t] * worth[t] for t in worth) / total if total else 0.0
    return covered * _UNSAID_NAME ** sum(t.name and worth[t] <= _IN_PASSAGE for t in worth)


def nearness(tokens: Sequence[Token], places: Mapping[Term, Sequence[int]], c: LikelyAnswer) -> float:
    """Return how near a candidate is to the terms of its sentence, from 0 to 1."""
    weight = sum(t.weight for t in places)
    if not weight:
        return _LONE
    near = (t.weight * math.exp(-min(_distance(tokens, i, c) for i in at) / _FAR) for t, at in places.items())
    return sum(near) / weight


def is_direct(s: Sentence, c: LikelyAnswer, places: Mapping[Term, Sequence[int]]) -> bool:
    """Return True if only small words stand between a candidate and an asked word that is no name: "made by X"."""
    return any(
        not term.name and all(_is_small(t) for t in _between(s.tokens, i, c)) for term, at in places.items() for i in at
    )


def _is_small(token: Token) -> bool:
    return token.low in FUNCTION and kind_of(token.text) != CONJUNCTION


def _between(tokens: Sequence[Token], at: int, c: LikelyAnswer) -> Sequence[Token]:
    return tokens[c.last + 1 : at] if at > c.last else tokens[at + 1 : c.first]


def _distance(tokens: Sequence[Token], at: int, c: LikelyAnswer) -> int:
    if c.first <= at <= c.last:
        return 0
    inside = _between(tokens, at, c)
    joined = sum(t.text == "," or kind_of(t.text) == CONJUNCTION for t in inside)
    return len(inside) + 6 * sum(t.low in BREAKS for t in inside) + 3 * joined


def joined_with(best: LikelyAnswer, *, works: bool) -> list[LikelyAnswer]:
    """Return the best answer and the names that its sentence lists with it: "by Ada Lund, Bo Rask and Cy Holm"."""
    s = best.sentence
    for spans in enumerations(s.tokens, s.names, works=works) if best.name and best.first <= best.last else ():
        own = [span for span in spans if span[0] <= best.first and best.last <= span[1]]
        if own:
            texts = {(a, b): s.text[s.tokens[a].start : s.tokens[b].end] for a, b in (*own, *spans)}
            return [replace(best, text=text, key=text_key(text), first=a, last=b) for (a, b), text in texts.items()]
    return [best]

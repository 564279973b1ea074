"""Answer a question that a heading asks in the same words, and yes-or-no questions by a sentence with all their words.

Headings of lists of frequent questions are such: "Can I bring my dog?".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hydra_kg.extract.passages.candidates import LikelyAnswer
from hydra_kg.extract.passages.likely_answers import term_worths, title_worths
from hydra_kg.extract.passages.open_question import OpenQuestion, Term, open_question
from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.sentence_values import text_key
from hydra_kg.extract.reading.yes_or_no import NEGATIONS, NO, YES
from hydra_kg.language.lexicon import list_words

_SAID: Final = 0.8
_LONGEST: Final = 24
"""Most tokens of a sentence that says yes or no. A longer one says more than that."""
_LIMITS: Final = (list_words("barrier") | {"or"}) - NEGATIONS
_ASKED: Final = 0.9
_STATED: Final = 0.8
"""Scores of what stands under the same question, and of a sentence with all words of the question."""


def stated_answers(page: Page, question: OpenQuestion) -> Iterator[LikelyAnswer]:
    """Yield yes or no for a question that asks for it, and the first sentence under a heading that asks the same."""
    wants_truth = question.asked.kind == "whether"
    titled = title_worths(page.called[0] if page.called else "", question.terms)
    for s in page.sentences:
        if s.text.rstrip("*_ ").endswith("?"):
            continue
        if _asks_same(s.heading, question):
            first = next((t.low for t in s.tokens if t.word), "")
            if wants_truth and first in {YES[0], NO[0]}:
                yield _truth(s, _ASKED, no=first == NO[0])
                continue
            if not wants_truth and s.start == 0:
                yield LikelyAnswer(s.text, text_key(s.text), s, 0, len(s.tokens) - 1, _ASKED, 1.0, direct=True)
        if wants_truth and len(s.tokens) <= _LONGEST and not any(t.low in _LIMITS for t in s.tokens):
            _, worth = term_worths(s, question.terms, titled)
            if question.terms and min(worth.values()) >= _SAID:
                yield _truth(s, _STATED, no=any(t.low in NEGATIONS or t.low.endswith("n't") for t in s.tokens))


def _asks_same(heading: str, question: OpenQuestion) -> bool:
    """Return True if a heading is a question with the same content words."""
    other = open_question(heading) if heading.rstrip().endswith("?") else None
    if other is None or other.asked.kind != question.asked.kind:
        return False
    mine, its = question.terms, other.terms
    return all(any(_same(a, b) for b in its) for a in mine) and all(any(_same(a, b) for a in mine) for b in its)


def _same(a: Term, b: Term) -> bool:
    return a.stem == b.stem


def _truth(s: Sentence, score: float, *, no: bool) -> LikelyAnswer:
    text, key = NO if no else YES
    return LikelyAnswer(text, key, s, 0, len(s.tokens) - 1, score, 1.0, direct=True)

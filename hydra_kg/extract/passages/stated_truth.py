"""Answer a question that a heading asks in the same words, and yes-or-no questions by a sentence with all their words.

Headings of lists of frequent questions are such: "Can I bring my dog?".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Final

from hydra_kg.extract.passages.likely_answers import term_worths, title_worths
from hydra_kg.extract.passages.open_question import OpenQuestion, Term, open_question
from hydra_kg.extract.passages.values_in_sentences import LikelyAnswer
from hydra_kg.extract.reading.doers_and_objects import keeps_roles
from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.sentence_values import text_key
from hydra_kg.extract.reading.yes_or_no import NEGATIONS, NO, YES
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.lexicon import list_words

_SAID: Final = 0.8
_LONGEST: Final = 36
"""Most tokens of a sentence that says yes or no. A longer one says more than that."""
_LIMITS: Final = (list_words("barrier") | {"or"}) - NEGATIONS - list_words("question_word pronoun during")
_AROUND: Final = list_words("coordination subordination before_place_name") | {"on"}
"""Words that may follow what is asked: "is free on Mondays"; "is free for members" says something else."""
_PAST, _PRESENT = frozenset({"was", "were"}), frozenset({"is", "are"})
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
        if wants_truth and (truth := _truth_stated(s, question, titled)) is not None:
            yield _truth(s, _STATED, no=not truth)


def _truth_stated(s: Sentence, question: OpenQuestion, titled: Mapping[Term, float]) -> bool | None:
    """Return whether a sentence says all of a question or a claim, or denies it; None if it says anything else.

    A clause has to consist of the asked words, small words and dates: another word, such as "formerly", "denied" or
    "brother", may change what it says.
    """
    if not question.terms or len(s.tokens) > _LONGEST or any(t.low in _LIMITS - question.words for t in s.tokens):
        return None
    places, worth = term_worths(s, question.terms, titled)
    for term in question.terms:
        if term.name:  # "Portugal" is not Porto
            places[term] = [i for i in places[term] if s.tokens[i].stem == term.stem or s.tokens[i].low == term.low]
            worth[term] = 1.0 if places[term] else titled[term]
    if min(worth.values()) < _SAID or not any(places.values()) or not keeps_roles(question.text, s.tokens):
        return None
    return _polarity(s, question, {i for at in places.values() for i in at})


def _polarity(s: Sentence, question: OpenQuestion, found: Set[int]) -> bool | None:
    """Return True if nothing but small words and dates stands around the asked words of a sentence, False if denied."""
    first, last = min(found), max(found)
    begin = max((i + 1 for i in range(first) if s.tokens[i].text in {";", ","}), default=0)
    dates = {i for v in s.values if v.kind in {"date", "time"} for i in range(v.first, v.last + 1)}
    inside = [t for i, t in enumerate(s.tokens[: last + 1]) if i >= begin and i not in found | dates]
    if any(t.text in {",", ";"} or (t.word and t.low not in FUNCTION | NEGATIONS) for t in inside):
        return None
    after = s.tokens[last + 1 :]
    goes_on = after and after[0].word and after[0].low not in _AROUND and last + 1 not in dates
    denied = [t.low in NEGATIONS or t.low.endswith("n't") for t in s.tokens]
    said = {t.low for t in inside}
    is_past = bool(said & _PAST) and not said & _PRESENT and not question.words & _PAST and question.words & _PRESENT
    if goes_on or is_past or any(denied[: min(begin, first)]) or any(denied[last + 1 :]):
        return None
    return not any(denied)


def _asks_same(heading: str, question: OpenQuestion) -> bool:
    """Return True if a heading is a question with the same content words."""
    other = open_question(heading) if heading.rstrip().endswith("?") else None
    if other is None or other.asked.kind != question.asked.kind:
        return False
    return [t.stem for t in question.terms] == [t.stem for t in other.terms]


def _truth(s: Sentence, score: float, *, no: bool) -> LikelyAnswer:
    text, key = NO if no else YES
    return LikelyAnswer(text, key, s, 0, len(s.tokens) - 1, score, 1.0, direct=True)

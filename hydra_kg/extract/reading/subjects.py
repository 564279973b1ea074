"""Tell what the words of a sentence are about: the page's subject, what the question adds, or something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.page_question import BE, Asked
from hydra_kg.extract.word_classes import ADVERB, AUXILIARY, NUMBER, PREPOSITION, RELATIVES, VERB
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token

_OTHER: Final = 0.3
"""Factor that is left if the sentence is about something else."""
_HIS: Final = frozenset({"his", "her"})
_PARTICIPLES: Final = list_words("irregular_participle")


def about(page: Page, sentence: Sentence, at: int, focus: frozenset[str], asked: Asked) -> float:
    """Return how surely a position in the sentence is about the thing that the question asks about."""
    if page.person and _of_another(page, sentence.tokens, at):
        return 0.0
    subject, head = sentence.subject, sentence.head
    tokens = sentence.tokens
    opened = next((i for i in range(at - 1, -1, -1) if tokens[i].low in RELATIVES or tokens[i].text == ";"), -1)
    if opened > 0 and tokens[opened].low in {"who", "which", "whose", "that"}:
        before = opened - 1 - (tokens[opened - 1].text == ",")
        theme = page.mentioned(tokens, max(before - 3, 0), before) or any(
            t.stem in focus for t in tokens[max(before - 4, 0) : before + 1]
        )
        return 1.0 if theme or (asked.agent and tokens[opened].low == "who") else _OTHER
    if opened > 0 and tokens[opened].text == ";":
        subject, head = page.subject(tokens, opened + 1)
    if subject == "topic":
        return 1.0 if _of_subject(tokens, head, at, focus) else 0.5
    noun = {t.stem for t in tokens[: head + 1]}
    if noun & focus or (focus and _behind(sentence, at, focus)):
        return 1.0
    if at <= head or (subject == "part" and noun & {*asked.words}):
        return 0.95  # "its director is", "the population is": the word itself is the subject
    mentioned = page.mentioned(tokens, at + 1, at + 8)
    if mentioned or page.mentioned(tokens, max(at - 3, 0), at):
        return 0.9
    return _OTHER if not focus else 0.6


def _of_another(page: Page, tokens: Sequence[Token], at: int) -> bool:
    """Return whether "his" or "her" before a word contradicts the gender of the page's subject."""
    said = next((t.low for t in reversed(tokens[max(at - 2, 0) : at]) if t.low in _HIS), "")
    return bool(page.his) and bool(said) and said != page.his


def _of_subject(tokens: Sequence[Token], head: int, at: int, focus: frozenset[str]) -> bool:
    """Return True if a participle without "is" is about the subject: "is a film directed by"."""
    before = at - 1
    while before > head and (kind_of(tokens[before].text) == ADVERB or tokens[before].low in {"and", "or"}):
        before -= 1
    if kind_of(tokens[at].text) != VERB or before <= head or tokens[before].text == ",":
        return True
    if not tokens[before].word:
        return tokens[before].text in {"(", "–", "-", ":"}
    if kind_of(tokens[before].text) in {AUXILIARY, VERB, NUMBER} or tokens[before].stem in focus:
        return True
    if tokens[at].low == "died" or (not tokens[at].low.endswith("ed") and tokens[at].low not in _PARTICIPLES):
        return True  # no participle
    inside = tokens[head + 1 : before + 1]
    copulas = [i for i, t in enumerate(inside) if t.low in BE]
    following = [*inside[1:], tokens[at]]
    verbs = [
        t
        for t, n in zip(inside, following, strict=True)
        if _is_verb(t) and (_is_verb(n) or not n.word or n is following[-1] or kind_of(n.text) == PREPOSITION)
    ]
    if len(copulas) != 1 or verbs:
        return False
    placed = [t for t in inside[copulas[0] + 1 :] if kind_of(t.text) == PREPOSITION]
    return not placed or (
        not tokens[before].capital and all(t.low in {"of", "in", "for", "from", "at", "to"} for t in placed)
    )


def _is_verb(token: Token) -> bool:
    return kind_of(token.text) == VERB and not token.capital


def _behind(sentence: Sentence, at: int, focus: frozenset[str]) -> bool:
    tokens = sentence.tokens
    first = max((i + 1 for i in range(at) if tokens[i].text == ";"), default=0)
    last = min((i for i in range(at, len(tokens)) if tokens[i].text == ";"), default=len(tokens))
    return any(t.stem in focus for t in tokens[max(at - 6, first) : min(at + 7, last)])

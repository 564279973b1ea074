"""Answer yes or no from a page: by the value that a question proposes, or by a sentence with all its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hydra_kg.extract.reading.page import Page
from hydra_kg.extract.reading.page_question import Asked
from hydra_kg.extract.reading.sentence_answers import AnswerSpan, answers
from hydra_kg.extract.reading.sentence_values import values
from hydra_kg.extract.reading.word_groups import places
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import tokenise
from hydra_kg.text.folding import fold

YES: Final = ("yes", '"true"^^xsd:boolean')
NO: Final = ("no", '"false"^^xsd:boolean')
_ONE: Final = frozenset({"date", "count"})
"""Kinds of value of which a thing has only one. In contrast, a second composer of a work is no contradiction."""

_SPAN: Final = re.compile(r"\bcentur|\bdecade|\d0s\b")
"""Words for times of many years, in which a date may lie."""

NEGATIONS: Final = list_words("no_or_not negation nothing") | {"cannot", "n't"}


def whether(page: Page, asked: Asked, *, least: float) -> AnswerSpan | None:
    """Return yes or no with its sentence, or None. ``least``: clarity that a different value needs for a no."""
    if len(asked.values) == 1 and asked.words:
        for kind, shape in _kinds(asked):
            found = [f for f in answers(page, shape) if f.score >= least]
            same = next((f for f in found if _same(f.text, asked.values[0])), None)
            if same is not None:
                return _as(same, YES)
            if found and kind in _ONE and found[0].score >= 0.8 and not _SPAN.search(asked.values[0]):
                return _as(found[0], NO)
        return None
    return max(_holding(page, asked), key=lambda f: f.score, default=None)


def _kinds(asked: Asked) -> Iterator[tuple[str, Asked]]:
    """Yield the question with the kind of its proposed value as what is asked for."""
    proposed = asked.values[0]
    found = values(proposed, tokenise(proposed))
    if found and found[0].kind == "date":
        yield "date", replace(asked, kind="date")
    elif found and found[0].kind == "number":
        yield "count", replace(asked, kind="count", noun=asked.words[0])
    else:
        yield "person", replace(asked, kind="person", kinds=frozenset({"person", "organisation"}), past=True)
        yield "place", replace(asked, kind="place")
        yield "name", replace(asked, kind="thing")


def _holding(page: Page, asked: Asked) -> Iterator[AnswerSpan]:
    """Yield sentences about the thing that contain every word of the question."""
    for s in page.sentences:
        if not all(places(s.tokens, w) for w in asked.words) or len(asked.words) < 1:
            continue
        if not all(_same(s.text, v) or fold(v) in fold(s.text) for v in asked.values):
            continue
        said = s.subject == "topic" or page.mentioned(s.tokens, 0, len(s.tokens)) or len(asked.words) > 2
        if not said and len(asked.words) < 2:
            continue
        no = any(t.low in NEGATIONS or t.low.endswith("n't") for t in s.tokens)
        plain = 0.9 if len(asked.words) > 1 else 0.7
        yield _as(AnswerSpan("", "", s, s.tokens[0].start, s.tokens[-1].end, plain), NO if no else YES)


def _same(one: str, other: str) -> bool:
    a, b = fold(one), fold(other)
    return a == b or f" {b} " in f" {a} " or f" {a} " in f" {b} "


def _as(found: AnswerSpan, truth: tuple[str, str]) -> AnswerSpan:
    return replace(found, text=truth[0], key=truth[1], name=False)

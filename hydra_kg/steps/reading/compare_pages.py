"""Answer questions that compare two things from the passages about them: "Which is older, X or Y?"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hydra_kg.domain import AnswerValue, Judgement, Node, Passage
from hydra_kg.extract.mentions import plain_title
from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.page_comparison import ComparedPages, compare, comparison
from hydra_kg.extract.reading.sentence_values import text_key
from hydra_kg.extract.reading.yes_or_no import NO, YES
from hydra_kg.ids import encode
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import DOCUMENTS, Context
from hydra_kg.steps.reading.page_reading import in_order
from hydra_kg.steps.reading.passage_reading import PassageFinding, cite
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step

_WORDS: Final = 6
"""Most words of a name next to "and" or "or"."""
_CONFIDENCE: Final = 0.7
"""Confidence in a comparison of two sentences that each state their part."""
_JOINS: Final = list_words("coordination")


@step("compare_pages")
def compare_pages(context: Context) -> PassageFinding | None:
    """Return the answer to a question that compares two things with passages, or None.

    Examples: "Which was founded first, X or Y?", "Are X and Y both novels?", "Were X and Y of the same nationality?".
    """
    question = context.question
    for spans in _joined_names(question):
        if comparison(question, (spans[0][-1], spans[1][-1])) is None:
            return None
        named = _passages_of(context, [question[a:b] for side in spans for a, b in side])
        one, other = (next((s for s in side if question[s[0] : s[1]] in named), None) for side in spans)
        asked = comparison(question, (one, other)) if one and other else None
        if asked is None or one is None or other is None:
            continue
        found = (named[question[slice(*one)]], named[question[slice(*other)]])
        pages = (_page(found[0]), _page(found[1]))
        if (result := compare(asked, pages)) is not None:
            return _finding(result, found, (question[slice(*one)], question[slice(*other)]))
    return None


def _joined_names(question: str) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Yield the characters of possible names before and after each "and" or "or", the longest first."""
    tokens = tokenise(question)
    for i, t in enumerate(tokens):
        if t.low in _JOINS and 0 < i < len(tokens) - 1:
            end = i - (tokens[i - 1].text == ",")
            words = (j for j in range(max(end - _WORDS, 0), end) if tokens[j].word)
            before = [(tokens[j].start, tokens[end - 1].end) for j in words]
            words = (j for j in range(min(i + _WORDS, len(tokens) - 1), i, -1) if tokens[j].word)
            after = [(tokens[i + 1].start, tokens[j].end) for j in words]
            if before and after and any(map(_is_capital, tokens[i + 1 : i + 1 + _WORDS])):
                yield before, after


def _is_capital(token: Token) -> bool:
    return token.capital or token.text[:1].isdigit()


def _passages_of(context: Context, names: list[str]) -> dict[str, list[Passage]]:
    """Return the passages about the thing that each name is the title of, by name; names without any are left out."""
    hits = context.snapshot.find(names, limit=3, reach="exact")
    found: dict[str, list[Passage]] = {}
    for name, some in zip(names, hits, strict=True):
        nodes = {h.node for h in some}
        about = context.snapshot.passages(sorted(nodes), limit=DOCUMENTS) if nodes else []
        about = [p for p in about if p.node in nodes and context.may(p.source.name)]
        first = next((p for p in about if fold(plain_title(p.title)) == fold(name)), next(iter(about), None))
        if first is not None:
            found[name] = in_order([p for p in about if p.node == first.node])
    return found


def _page(passages: list[Passage]) -> Page:
    return Page([passages[0].title], [Paragraph(p.text) for p in passages])


def _finding(
    result: ComparedPages, passages: tuple[list[Passage], list[Passage]], names: tuple[str, str]
) -> PassageFinding:
    name, key = names[result.chosen], text_key(names[result.chosen])
    if result.truth is not None:
        name, key = YES if result.truth else NO
    node = Node(encode(key), key, name)
    evidence = []
    for sentence, some in zip(result.sentences, passages, strict=True):
        evidence.append(cite(some[sentence.paragraph], sentence, _CONFIDENCE, (node,)))
    value = AnswerValue(name, None, key, (), _CONFIDENCE)
    return PassageFinding(uncontested((value,), evidence), Judgement(True, _CONFIDENCE, ""), 2)

"""Selects the pages that may answer a question: those about its names, else those that mention them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.domain import Candidate, Entity, Mention, Passage
from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.sentence_names import names
from hydra_kg.language.tokens import tokenise
from hydra_kg.steps.context import DOCUMENTS, Context
from hydra_kg.steps.linking.mention_spans import spans_of, words
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

_READ_PAGES: Final = 6  # pages about something else that are read for a name that has none (offline)


_SECTION: Final = " § "
_SHORT: Final = 3  # letters of a word that is no name of a page


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page with its paragraphs' passages, its subject, and the subject's place in the question."""

    page: Page
    passages: tuple[Passage, ...]
    about: Entity | None
    name: str
    spans: tuple[tuple[int, int], ...]


def pages_of(context: Context, mentions: Sequence[Mention]) -> Iterator[OpenPage]:
    """Yield pages about each thing that the question names.

    Pages about other things follow, if their text contains a name without a page.
    """
    without: list[tuple[str, tuple[int, int]]] = []
    named = [m for m in mentions if m.start >= 0] or list(_called(context))
    for m in named:
        page = _about(context, m) if m.chosen is not None else None
        if page is not None:
            yield page
        else:
            without.append((context.question[m.start : m.end], (m.start, m.end)))
    if not named or without:
        spoken = [(m.start, m.end) for m in named]
        without += [n for n in _names(context.question) if not any(a < n[1][1] and n[1][0] < b for a, b in spoken)]
        yield from _speaking_of(context, without)


def _called(context: Context) -> Iterator[Mention]:
    """Yield the longest name of a page in the question that linking took for ordinary words ("tidepool")."""
    parts = words(context.question)
    spans = [s for s in spans_of(context.question, parts) if len(s[0]) > _SHORT]
    hits = context.snapshot.find([text for text, _, _ in spans], limit=1, reach="exact") if spans else []
    found = [(span, h[0]) for span, h in zip(spans, hits, strict=True) if h]
    for (text, first, last), hit in sorted(found, key=lambda x: -len(x[0][0]))[:1]:
        node = context.entities([hit.node])[hit.node].node
        chosen = Candidate(node, 1.0, hit.how)
        yield Mention(text, parts[first].start, parts[last].end, (chosen,), chosen)


def _about(context: Context, mention: Mention) -> OpenPage | None:
    assert mention.chosen is not None
    node = mention.chosen.node.id
    limit = DOCUMENTS
    found = [p for p in context.snapshot.passages([node], limit=limit) if p.node == node]
    passages = [p for p in in_order(found) if context.may(p.source.name)]
    if not passages:
        return None
    entity = context.entities([node])[node]
    called = [entity.node.name, *entity.aliases, context.question[mention.start : mention.end]]
    page = Page(called, [_paragraph(p) for p in passages])
    return OpenPage(page, tuple(passages), entity, entity.node.name, ((mention.start, mention.end),))


def _speaking_of(context: Context, wanted: Sequence[tuple[str, tuple[int, int]]]) -> Iterator[OpenPage]:
    """Yield pages whose text contains a name of the question."""
    most = _READ_PAGES
    for name, span in wanted:
        found = [p for p in context.snapshot.passages([], query=name, limit=2 * most) if context.may(p.source.name)]
        folded = f" {fold(name)} "
        for passage in [p for p in found if folded in f" {fold(p.text)} "][:most]:
            yield OpenPage(Page([name], [_paragraph(passage)], own=False), (passage,), None, name, (span,))


def in_order(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages in the order in which their sources state them."""
    return sorted(passages, key=lambda p: (p.source.name, p.locator.file, p.locator.line, p.id))


def _paragraph(passage: Passage) -> Paragraph:
    return Paragraph(passage.text, passage.title.partition(_SECTION)[2])


def _names(question: str) -> Iterator[tuple[str, tuple[int, int]]]:
    tokens = tokenise(question)
    for n in names(question, tokens):
        if n.first:
            start, end = tokens[n.first].start, tokens[n.last].end
            yield re.sub(r"\s+", " ", question[start:end]), (start, end)

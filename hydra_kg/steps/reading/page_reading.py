"""A plain question answered by a sentence of a stored page: which pages are read, how surely, and as evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from hydra_kg.domain import (
    Analysis,
    AnswerValue,
    Candidate,
    Entity,
    Evidence,
    Hop,
    Judgement,
    Mention,
    Node,
    Passage,
    Path,
    Scores,
)
from hydra_kg.execution.value_differences import age
from hydra_kg.extract.reading.doers_and_objects import keeps_roles
from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.page_question import Asked, asked, may_be
from hydra_kg.extract.reading.sentence_answers import AnswerSpan, answers
from hydra_kg.extract.reading.sentence_names import names
from hydra_kg.extract.reading.word_groups import places
from hydra_kg.extract.reading.yes_or_no import NO, YES, whether
from hydra_kg.ids import encode
from hydra_kg.language.tokens import fold_words, tokenise
from hydra_kg.steps.answering.results import Conclusion, uncontested
from hydra_kg.steps.context import DOCUMENTS, Context
from hydra_kg.steps.linking.mention_spans import spans_of, words
from hydra_kg.steps.reading.several_texts import tell_apart
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import literal_text
from hydra_kg.text.quoting import quote_with_backslashes
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

_SAID_PLAINLY: Final = 0.6  # how plainly a sentence must say it to be an answer (offline), 0 to 1
_SAID_NEARLY: Final = 0.03  # how much less plainly a further answer may be said, to be one too (offline)
_READ_VALUES: Final = 20  # answers, best first, that are taken from a page (offline)
_READING: Final = 0.85  # confidence in what a page says in the plainest words, 0 to 1 (offline)
PHASE: Final = "reading"
_AGE: Final = "age"
_BIRTH: Final = Asked("date", ("bear",), past=True)
_NEAR: Final = 60  # characters between a name and the value that is said of it
_READ_PAGES: Final = 6  # pages about something else that are read for a name that has none (offline)
_SECTION: Final = " § "
_SHORT: Final = 3  # letters of a word that is no name of a page


@dataclass(frozen=True, slots=True)
class PageReading:
    """The result of reading pages: the conclusion, its confidence, and the numbers of pages and sentences read."""

    conclusion: Conclusion
    judgement: Judgement
    pages: int
    sentences: int


@step("read_pages")
def read_pages(context: Context, analysis: Analysis, mentions: Sequence[Mention]) -> PageReading | None:
    """Return what stored pages state for the question, or None if no sentence states it plainly enough."""
    least = _SAID_PLAINLY
    best: list[tuple[AnswerSpan, OpenPage]] = []
    pages = sentences = 0
    of_amount = False
    for opened in pages_of(context, mentions):
        question = asked(context.question, opened.spans)
        if question is None:
            return None
        aged = question.kind == "measure" and question.words[:1] == (_AGE,)
        if aged and not question.past:
            continue  # a page does not know when it is read
        of_amount = question.kind == "measure"
        pages, sentences = pages + 1, sentences + len(opened.page.sentences)
        if question.kind == "whether":
            truth = whether(opened.page, question, least=least)
            found = [truth] if truth is not None and _keeps_roles(context.question, opened.page, truth) else []
        else:
            found = [f for f in answers(opened.page, question) if may_be(f.text, question.kind, question.noun)]
            found = [f for f in found if _says_more(f.text, context.question)]
            found = found[:_READ_VALUES] or (_age_at(opened.page, question) if aged else [])
        if opened.about is None:  # of a page about something else only what it says of the name itself
            found = [f for f in found if _said_of(opened.name, f) or (question.kind == "person" and _names(opened, f))]
        best += [(f, opened) for f in found if f.score >= least]
    if not best:
        return None
    best.sort(key=lambda x: -x[0].score)
    chosen = [x for x in best if x[0].score >= best[0][0].score - _SAID_NEARLY]
    first = chosen[0][0]
    if first.text in {YES[0], NO[0]}:
        chosen = chosen[:1]
    evidence = tuple(_evidence(context, f, opened) for f, opened in chosen)
    values = tuple(_value(e.answers[0], f.score) for e, (f, _) in zip(evidence, chosen, strict=True))
    confidence = round(first.score * _READING, 4)
    distinct = tuple({fold_key(v): v for v in reversed(values)}.values())[::-1]
    stated: dict[str, dict[str, Passage]] = {}
    for e, (f, opened) in zip(evidence, chosen, strict=True):
        pages_of_value = (opened.passages[p] for p in f.paragraphs or (f.sentence.paragraph,))
        stated.setdefault(e.answers[0].name, {}).update((p.id, p) for p in pages_of_value)
    end = tell_apart(uncontested(distinct, evidence), stated)
    if of_amount and len(distinct) > 1 and not end.sentence:
        return None  # one thing has one price and one length
    return PageReading(end, Judgement(True, confidence, ""), pages, sentences)


def _keeps_roles(question: str, page: Page, truth: AnswerSpan) -> bool:
    """Return True unless a sentence that says yes names the things of the question in other roles."""
    s = truth.sentence
    pronoun = s.subject == "topic" and not page.named(s.tokens, 0) and not page.named(s.tokens, 1)
    return truth.text != YES[0] or keeps_roles(question, s.tokens, subject=page.called[0] if pronoun else "")


def _says_more(text: str, question: str) -> bool:
    """Return True if a value adds to the question ("Government" does not) and ends no phrase ("'s population")."""
    asked_words = set(fold_words(question))
    words = fold_words(text)
    alternative = "or" in asked_words  # "red or blue?"
    return text[:1] not in "'’,;:)" and (alternative or any(w not in asked_words for w in words))


def _names(opened: OpenPage, found: AnswerSpan) -> bool:
    """Return True if a sentence has the name that a page of something else mentions, or is about the page's subject."""
    said = f"{found.sentence.refers_to} {found.sentence.text}".casefold()
    return opened.name.casefold() in said or found.sentence.subject == "topic"


def _said_of(name: str, found: AnswerSpan) -> bool:
    """Return True if a sentence of another page is about the name: it is its subject, or directly before the value."""
    before = found.sentence.text[: found.start]
    at = before.casefold().rfind(name.casefold())
    between = before[at + len(name) :]
    return found.sentence.subject == "topic" or (at >= 0 and len(between) <= _NEAR and not set(between) & set(");"))


def says(question: str, mentions: Sequence[Mention], relation: str) -> bool:
    """Return True if a relation has a word that says what a question asks, or if the question is not understood."""
    read = asked(question, [(m.start, m.end) for m in mentions if m.start >= 0])
    if read is None or not read.words:
        return True
    return bool(places(tokenise(relation), read.words[0]))


def fold_key(value: AnswerValue) -> str:
    """Return a key that is equal for equal answers."""
    return value.name.casefold()


def _value(node: Node, score: float) -> AnswerValue:
    return AnswerValue(node.name, None, node.key, (), round(score, 6))


def _evidence(context: Context, found: AnswerSpan, opened: OpenPage) -> Evidence:
    """Return the sentence as a path from the subject of the page to the value, by the word that relates them."""
    passage = opened.passages[found.sentence.paragraph]
    start, end = found.sentence.start, found.sentence.end
    place = replace(passage.locator, page=passage.title, start=start, end=end)
    cited = replace(passage, text=found.sentence.text, locator=place, score=found.score)
    subject = opened.about.node if opened.about is not None else _literal(opened.name)
    value = Node(encode(found.key), found.key, found.text if found.text in {YES[0], NO[0]} else literal_text(found.key))
    path = Path((Hop(subject, found.word or "is", found.word or "is", value),), cited)
    scores = Scores(found.score, f1=passage.source.rho, cross=found.score)
    return Evidence(path, scores, PHASE, True, "read on the page", (value,), (passage.source.group,), cited.text)


def _literal(text: str) -> Node:
    key = quote_with_backslashes(text)
    return Node(encode(key), key, text)


def _age_at(page: Page, question: Asked) -> list[AnswerSpan]:
    """Return the age at an event, with the sentence that dates it, or nothing unless both days are stated."""
    event = replace(question, kind="date", words=question.words[1:], dimensions=())
    born, then = (next(iter(answers(page, shape)), None) for shape in (_BIRTH, event))
    if not event.words or born is None or then is None or born.key == then.key:
        return []
    try:
        years = age(_day(born), date.fromisoformat(_day(then)))
    except ValueError:  # only a year or words
        return []
    if years is None or years[0] != years[1]:
        return []
    key = f'"{years[0]}"^^xsd:integer'
    return [replace(then, text=str(years[0]), key=key, name=False, score=min(born.score, then.score))]


def _day(found: AnswerSpan) -> str:
    return found.key[1:].partition('"')[0]


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
        without += [
            n for n in _spans_of_names(context.question) if not any(a < n[1][1] and n[1][0] < b for a, b in spoken)
        ]
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


def _spans_of_names(question: str) -> Iterator[tuple[str, tuple[int, int]]]:
    tokens = tokenise(question)
    for n in names(question, tokens):
        if n.first:
            start, end = tokens[n.first].start, tokens[n.last].end
            yield re.sub(r"\s+", " ", question[start:end]), (start, end)

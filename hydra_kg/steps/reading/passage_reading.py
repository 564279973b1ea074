"""Search all stored passages for a question, read the best, and return a likely answer or the best sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from hydra_kg.domain import AnswerValue, Evidence, Judgement, Mention, Node, Passage, Path, Scores
from hydra_kg.extract.mentions import plain_title
from hydra_kg.extract.passages.chained_answers import chained_answers, linking_sentences
from hydra_kg.extract.passages.likely_answers import coverage, joined_with, likely_answers, statements
from hydra_kg.extract.passages.open_question import OpenQuestion, open_claim, open_question
from hydra_kg.extract.passages.stated_truth import stated_answers
from hydra_kg.extract.passages.values_in_sentences import LikelyAnswer
from hydra_kg.extract.reading.page import Page, Paragraph, Sentence
from hydra_kg.extract.reading.page_question import may_be
from hydra_kg.extract.reading.yes_or_no import NO, YES
from hydra_kg.ids import encode
from hydra_kg.steps.answering.results import Conclusion, uncontested
from hydra_kg.steps.context import PASSAGES, Context
from hydra_kg.steps.reading.several_texts import tell_apart
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import literal_text
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

PHASE: Final = "passages"
_LOWER: Final = 0.02  # share of the score that each place in the search's order costs
_BIAS, _OF_SCORE, _OF_RIVAL = 2.9, 1.7, -4.6
"""Logistic weights of the probability that the best candidate is right, fitted on the questions of
``bench/documents/passages.jsonl``: of its score, and of the share of it that the best other candidate has."""
_LEAST_PROBABLE: Final = 0.65
_LEAST_CONTESTED: Final = 0.55
"""Least probability of values that contradict one another, which are given as a conflict."""
_LEAST_SCORE: Final = 0.25
_LEAST_COVERED: Final = 0.65
_MOST_SURE: Final = 0.75
"""Most confidence in an answer whose sentence was chosen by its words alone: never "sure"."""
_WHOLE: Final = 0.95
"""Share of the question's words from which a sentence needs no second one."""
_AS_GOOD: Final = 0.85
"""Share of the best score from which another document's value contradicts it."""
_FITS: Final = 0.7
"""Least share of the question's words that a sentence must account for to be shown as "Perhaps"."""
_OTHER_KIND: Final = 0.4
"""Factor for a name that its own page does not define as the asked kind."""
_LINKING: Final = 8
"""Most sentences whose names are followed to other passages."""
_LINKED: Final = 40
"""Most passages that are read because a sentence names what they are about."""
_SECTIONS: Final = (" § ", " - ")


@dataclass(frozen=True, slots=True)
class PassageFinding:
    """What passages say: a conclusion that is given if ``judgement`` is sufficient, else the best ``sentence``."""

    conclusion: Conclusion
    judgement: Judgement
    passages: int
    sentence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class _Stating:
    """A candidate with the passage that states it."""

    found: LikelyAnswer
    passage: Passage
    through: tuple[Passage, Sentence] | None = None
    """The sentence of another passage that names what this passage is about."""


@step("search_passages")
def search_passages(
    context: Context, mentions: Sequence[Mention], *, strict: bool = False, claim: bool = False
) -> PassageFinding | None:
    """Return what the passages that best match the question say, or None if no sentence fits it.

    A ``claim`` is true if a sentence says all of it. With ``strict``, only who a page is about is an answer, by a
    sentence that says the whole question of them: "He painted the Mona Lisa".
    Passages about the mentioned things are read too. Those about a thing that only shares a mentioned name are not.
    """
    opened = open_claim if claim else open_question
    question = opened(context.question, [(m.start, m.end) for m in mentions if m.chosen is not None])
    if question is None:
        return None
    found = _search(context, mentions)
    pages = [_page(p) for p in found]
    candidates: list[_Stating] = []
    for place, (passage, page) in enumerate(zip(found, pages, strict=True)):
        worth = 1.0 - _LOWER * place
        read = [*likely_answers(page, question), *stated_answers(page, question)]
        read = [c for c in read if may_be(c.text, question.asked.kind, question.noun)]
        candidates += [_Stating(replace(c, score=c.score * worth), passage) for c in read]
    if strict:
        candidates = [c for c in candidates if _is_who_did_it(question, c.found)]
    elif not any(c.found.covered >= _WHOLE for c in candidates):
        candidates += _through_links(context, question, found, pages)
    candidates = _without_other_kinds(question, candidates, pages)
    candidates.sort(key=lambda r: -r.found.score)
    if candidates:
        first, chosen, probability = _choose(question, candidates)
        least = _LEAST_CONTESTED if len({r.passage.id for r in chosen}) > 1 else _LEAST_PROBABLE
        sure = probability >= least and first.score >= _LEAST_SCORE and first.covered >= _LEAST_COVERED
        if sure:
            judgement = Judgement(True, round(min(probability, _MOST_SURE), 4), "")
            return PassageFinding(_conclude(chosen), judgement, len(found))
    best = _best_sentence(question, found, pages)
    if best is None:
        return None
    return PassageFinding(uncontested((), ()), Judgement(False, 0.0, ""), len(found), best)


def _is_who_did_it(question: OpenQuestion, found: LikelyAnswer) -> bool:
    """Return True if the subject of a page answers "who" by a sentence that has all words of the question."""
    is_subject = found.first > found.last and found.sentence.subject == "topic"
    return question.asked.kind == "person" and is_subject and found.direct and found.covered >= _WHOLE


def _search(context: Context, mentions: Sequence[Mention]) -> list[Passage]:
    """Return the best passages of all, then the best about the mentioned things, each once."""
    asked = context.question
    nodes = {m.chosen.node.id for m in mentions if m.chosen is not None}
    about = context.snapshot.passages(sorted(nodes), query=asked, limit=PASSAGES) if nodes else []
    about = [p for p in about if p.node in nodes]
    others = context.snapshot.passages([], query=asked, limit=PASSAGES)
    found = {p.id: p for p in (*others, *about)}
    named = [set(fold(m.text).split()) for m in mentions if m.chosen is not None]
    said = set(fold(asked).split())
    return [
        p
        for p in found.values()
        if context.may(p.source.name)
        and (p.node in nodes or not any(_is_namesake(p.title, name, said) for name in named))
    ]


def _without_other_kinds(
    question: OpenQuestion, candidates: Sequence[_Stating], pages: Sequence[Page]
) -> list[_Stating]:
    """Lower the score of names whose own page defines them as something else: a lawyer for "what city"."""
    person = question.asked.kind == "person" and not question.noun
    if not person and (not question.noun or question.asked.kind not in {"name", "thing"}):
        return list(candidates)
    defined = [p for p in pages if p.types]
    other = {
        fold(name)
        for page in defined
        for name in page.called
        if not (page.person if person else question.noun in page.types)
    }
    return [
        replace(c, found=replace(c.found, score=round(c.found.score * _OTHER_KIND, 4)))
        if c.found.name and fold(c.found.text) in other
        else c
        for c in candidates
    ]


def _through_links(
    context: Context, question: OpenQuestion, found: Sequence[Passage], pages: Sequence[Page]
) -> list[_Stating]:
    """Return the candidates in passages about things that the sentences of the found passages name."""
    sentences = [(link, p) for p, page in zip(found, pages, strict=True) for link in linking_sentences(page, question)]
    sentences.sort(key=lambda x: -x[0].covered)
    titles = {plain_title(page.called[0]) for page in pages if page.called}
    links = [(link, p, name, (a, b)) for link, p in sentences[:_LINKING] for name, a, b in link.links(titles)]
    titled = _passages_titled(context, dict.fromkeys(name for _, _, name, _ in links), found)
    return [
        _Stating(answer, second, (first, link.sentence))
        for link, first, name, at in links
        for second in titled.get(fold(name), ())
        if second.id != first.id
        for answer in chained_answers(link, _page(second), question, at)
    ]


def _passages_titled(context: Context, names: Iterable[str], found: Sequence[Passage]) -> dict[str, list[Passage]]:
    """Return the passages about what has each name, by folded name: those found already, else by the store's names."""
    titled: dict[str, list[Passage]] = {}
    for p in found:
        called = _in_sections(p.title)[0]
        for name in {fold(called), fold(plain_title(called))}:
            titled.setdefault(name, []).append(p)
    others = [name for name in names if fold(name) not in titled]
    hits = context.snapshot.find(others, limit=1, reach="exact") if others else []
    nodes = {h[0].node: fold(name) for name, h in zip(others, hits, strict=True) if h}
    about = context.snapshot.passages(sorted(nodes), limit=_LINKED) if nodes else []
    for p in about:
        if p.node in nodes and context.may(p.source.name):
            titled.setdefault(nodes[p.node], []).append(p)
    return titled


def _is_namesake(title: str, name: set[str], question: set[str]) -> bool:
    """Return True if a title has all words of a name and more names that are not asked about: "Teddy Napoleon"."""
    called, _ = _in_sections(title)
    words = plain_title(called).split()
    more = [w for w in words if not set(fold(w).split()) <= name | question]
    return name <= set(fold(called).split()) and bool(more) and all(w[:1].isupper() for w in more)


def _in_sections(title: str) -> tuple[str, str]:
    """Return the name of a page and the heading in it: "Minutes § Dogs"."""
    heading = ""
    for section in _SECTIONS:
        title, _, rest = title.partition(section)
        heading = f"{rest} {heading}".strip()
    return title.rstrip(" -"), heading


def _page(passage: Passage) -> Page:
    title, heading = _in_sections(passage.title)
    return Page([title], [Paragraph(passage.text, heading)])


def _choose(question: OpenQuestion, candidates: Sequence[_Stating]) -> tuple[LikelyAnswer, list[_Stating], float]:
    """Return the best candidate, all that are answers or contradict it, and the probability that they are right."""
    distinct: dict[str, _Stating] = {}
    for read in candidates:
        distinct.setdefault(_folded(read.found), read)
    best = next(iter(distinct.values()))
    first = best.found
    together = joined_with(first, works=question.asked.kind != "person") if question.several else [first]
    chosen = [replace(best, found=c) for c in together]
    chosen += [r for r in distinct.values() if _contradicts(question, best, r)]
    texts = {_folded(r.found) for r in chosen}
    rival = max(
        (r.found.score for key, r in distinct.items() if not any(key in t or t in key for t in texts)), default=0
    )
    of_rival = min(rival / first.score, 1.0) if first.score else 1.0
    probability = 1 / (1 + math.exp(-(_BIAS + _OF_SCORE * first.score + _OF_RIVAL * of_rival)))
    return first, chosen, probability


def _contradicts(question: OpenQuestion, best: _Stating, other: _Stating) -> bool:
    """Return True if another document states a different date or number in words that fit as well as the best."""
    if question.asked.kind not in {"date", "count", "measure"} or best.found.key == other.found.key:
        return False
    titles = [_in_sections(r.passage.title)[0] for r in (best, other)]
    fits = [r.found.direct and r.found.covered >= _WHOLE and r.through is None for r in (best, other)]
    return all(fits) and titles[0] != titles[1] and other.found.score >= _AS_GOOD * best.found.score


def _conclude(chosen: Sequence[_Stating]) -> Conclusion:
    """Return the conclusion, as a conflict if texts state different values."""
    stated: dict[str, dict[str, Passage]] = {}
    for r in chosen:
        stated.setdefault(_text(r.found), {})[r.passage.id] = r.passage
    values = tuple(_value(r.found) for r in chosen)
    return tell_apart(uncontested(values, tuple(e for r in chosen for e in _evidence(r))), stated)


def _best_sentence(question: OpenQuestion, passages: Sequence[Passage], pages: Sequence[Page]) -> Evidence | None:
    """Return the sentence that accounts for most of the question, if it accounts for enough."""
    shares = [
        (coverage(s, question, page.called[0] if page.called else ""), -place, passage, s)
        for place, (passage, page) in enumerate(zip(passages, pages, strict=True))
        for s in statements(page)
    ]
    share, _, passage, sentence = max(shares, key=lambda x: x[:2], default=(0.0, 0, None, None))
    if passage is None or sentence is None or share < _FITS:
        return None
    return cite(passage, sentence, share, ())


def _evidence(read: _Stating) -> list[Evidence]:
    node = Node(encode(read.found.key), read.found.key, _text(read.found))
    cited = [(read.passage, read.found.sentence), *([read.through] if read.through else ())]
    return [cite(passage, sentence, read.found.score, (node,)) for passage, sentence in cited]


def cite(passage: Passage, sentence: Sentence, score: float, answers: tuple[Node, ...]) -> Evidence:
    """Return a sentence as evidence, with its characters in the passage."""
    place = replace(passage.locator, page=passage.title, start=sentence.start, end=sentence.end)
    cited = replace(passage, text=sentence.text, locator=place, score=score)
    scores = Scores(score, f1=passage.source.rho, cross=score)
    origins = (passage.source.group,)
    return Evidence(Path((), cited), scores, PHASE, True, "read in a passage", answers, origins, cited.text)


def _text(found: LikelyAnswer) -> str:
    return found.text if found.text in {YES[0], NO[0]} else literal_text(found.key)


def _value(found: LikelyAnswer) -> AnswerValue:
    return AnswerValue(_text(found), None, found.key, (), round(found.score, 6))


def _folded(found: LikelyAnswer) -> str:
    return fold(found.text.replace(",", ""))

"""Findings that a language model reads in sentences; a value that the sentences do not contain does not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hydra_kg.domain import Analysis, Excerpt, Passage, StatedInText, TextFinding
from hydra_kg.extract.stated_relation import RelationClaim, are_stated
from hydra_kg.language.tokens import fold_words
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.named_values import dates_in, numbers_in, same_day, same_number
from hydra_kg.steps.crosscheck.sentence_findings import AskedRelation, Reading, best_of_each
from hydra_kg.steps.crosscheck.sentence_mentions import begins_with_subject
from hydra_kg.steps.crosscheck.value_sentences import ComparedValue, subject_title
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, sentence_spans
from hydra_kg.text.folding import flat

SENTENCES: Final = 6
"""Sentences that a model is shown, those nearest to the question."""

READ: Final = 1.0
"""Likeness of what a model read in a sentence's own words."""

_MOST_WORDS: Final = 10
"""Words of a value; more are a statement."""


def read_by_model(
    context: Context, analysis: Analysis, asked: AskedRelation, passages: Iterable[Passage]
) -> Reading | None:
    """Return a model's findings, checked against their sentences, or None if nothing counts."""
    sentences = _nearest(context, asked, list(_about(asked, passages)))
    if not sentences:
        return None
    excerpts = [Excerpt(s.passage, s.text) for s in sentences]
    said = context.agent.read_statements(analysis, asked.subject.name, asked.wordings[-1], excerpts)
    named = [s for s in said or () if names_value(s, excerpts)]
    checked = _stated(context, asked, [(s.value, sentences[s.excerpt]) for s in named])
    found = [f for value, sentence in checked if (f := _finding(asked, analysis, value, sentence)) is not None]
    if not found:
        return None
    agree = best_of_each([f for f in found if f.stance == "agrees"])
    return Reading(agree, best_of_each([f for f in found if f.stance == "differs"]), agree)


def names_value(said: StatedInText, excerpts: Sequence[Excerpt]) -> bool:
    """Return True if the numbered excerpt contains the value word for word, or is from its page."""
    value = _plain(said.value)
    return bool(value) and 0 <= said.excerpt < len(excerpts) and _has(excerpts[said.excerpt], value)


def _stated(
    context: Context, asked: AskedRelation, read: Sequence[tuple[str, PassageSentence]]
) -> list[tuple[str, PassageSentence]]:
    """Return the values whose sentences state the relation in one of its wordings, or that of the question."""
    claims = [
        RelationClaim(sentence.text, asked.subject.name, wording, value)
        for value, sentence in read
        for wording in asked.wordings
    ]
    stated = are_stated(claims, context.space.embedder.embed)
    each = len(asked.wordings)
    return [pair for i, pair in enumerate(read) if any(stated[i * each : (i + 1) * each])]


def _has(excerpt: Excerpt, value: str) -> bool:
    return f" {value} " in f" {_plain(excerpt.text)} " or value == _plain(subject_title(excerpt.passage.title))


def _plain(text: str) -> str:
    return " ".join(fold_words(text)).removeprefix("the ")


def _about(asked: AskedRelation, passages: Iterable[Passage]) -> Iterator[PassageSentence]:
    """Yield the sentences that name the subject, and those of its own page that refer to it by a pronoun."""
    names = asked.subject.naming
    for p in passages:
        own = names.is_name(subject_title(p.title)) or (bool(p.node) and p.node == asked.subject.node)
        low = flat(p.text)
        for start, end in sentence_spans(p.text):
            text, part = p.text[start:end], low[start:end]
            if names.whole(text, part) is not None or (own and (begins_with_subject(part) or names.part(text, part))):
                yield PassageSentence(p, text.strip(), start, end)


def _nearest(context: Context, asked: AskedRelation, sentences: Sequence[PassageSentence]) -> list[PassageSentence]:
    if len(sentences) <= SENTENCES:
        return list(sentences)
    vectors = context.space.embedder.embed([asked.wordings[0], *(s.text for s in sentences)])
    likes = (vectors[1:] @ vectors[0]).tolist()
    best = sorted(range(len(sentences)), key=lambda i: (-likes[i], i))[:SENTENCES]
    return [sentences[i] for i in sorted(best)]


def _finding(asked: AskedRelation, analysis: Analysis, value: str, sentence: PassageSentence) -> TextFinding | None:
    """Return a finding for an answer or a similar value.

    Returns None for words of the question, for the subject, and for parts of an answer.
    """
    ours = next((v for v in asked.values if _same(v, value)), None)
    if ours is not None:
        return TextFinding("agrees", ours.name, sentence.cited, READ, ours.node)
    words = set(_plain(value).split())
    known = [asked.subject.naming.words, set(_plain(analysis.question).split())]
    known += [set(_plain(v.name).split()) for v in asked.values]
    if not _of_sort(asked, value) or any(words <= k for k in known) or any(k and k <= words for k in known[2:]):
        return None
    titled = _plain(value) == _plain(subject_title(sentence.passage.title))
    return TextFinding("differs", value, sentence.cited, READ, sentence.passage.node if titled else 0)


def _of_sort(asked: AskedRelation, text: str) -> bool:
    """Return True for a date, a number or a capitalised name, but not "birth of Jane Roe"."""
    if asked.sort != "name":
        return bool(dates_in(text) if asked.sort == "date" else numbers_in(text))
    if text[:1].islower() and asked.subject.naming.whole(text, flat(text)) is not None:
        return False
    named = text != text.lower() or not any(v.name != v.name.lower() for v in asked.values)
    return named and len(text.split()) <= _MOST_WORDS


def _same(value: ComparedValue, text: str) -> bool:
    if value.day is not None:
        return any(same_day(d, value.day) for d, _ in dates_in(text))
    if value.number is not None:
        return any(same_number(n, value.number) for n, _ in numbers_in(text))
    return value.naming.is_name(text) or value.naming.whole(text, flat(text)) is not None

"""What a language model reads in sentences of what was asked; what it cannot quote from them does not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hydra_kg.domain import Analysis, Excerpt, Passage, StatedInText, TextFinding
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.findings import AskedRelation, Reading, best_of_each
from hydra_kg.steps.crosscheck.naming import begins_with_subject, flat
from hydra_kg.steps.crosscheck.statements import ComparedValue, subject_title
from hydra_kg.steps.crosscheck.values import dates_in, numbers_in, same_day, same_number
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, sentence_spans

SENTENCES: Final = 8
"""Sentences that a model is shown, those nearest to the question."""

READ: Final = 1.0
"""Likeness of what a model read and quoted."""


def read_by_model(
    context: Context, analysis: Analysis, asked: AskedRelation, passages: Iterable[Passage]
) -> Reading | None:
    """The reading of a model, each finding checked against its sentence; None where rules must read: the agent has no
    model, gave no reply, or quoted nothing that is there."""
    sentences = _nearest(context, asked, list(_about(asked, passages)))
    if not sentences:
        return None
    excerpts = [Excerpt(s.passage, s.text) for s in sentences]
    said = context.agent.read_statements(analysis, asked.subject.name, asked.wordings[-1], excerpts)
    if said is None:
        return None
    sound = [s for s in said if quoted(s, excerpts)]
    if said and not sound:
        return None
    found = [_finding(asked, s, sentences[s.excerpt]) for s in sound]
    agree = best_of_each([f for f in found if f.stance == "agrees"])
    return Reading(agree, best_of_each([f for f in found if f.stance == "differs"]), agree)


def quoted(said: StatedInText, excerpts: Sequence[Excerpt]) -> bool:
    """Whether a quotation stands in its sentence, and the value in the quotation."""
    if not 0 <= said.excerpt < len(excerpts):
        return False
    text, quotation, value = (_plain(t) for t in (excerpts[said.excerpt].text, said.quotation, said.value))
    return bool(value) and value in quotation and quotation in text


def _plain(text: str) -> str:
    return " ".join(flat(text).split()).strip(" .,;:\"'“”")


def _about(asked: AskedRelation, passages: Iterable[Passage]) -> Iterator[PassageSentence]:
    """Sentences that name the subject, and on its own page those that speak of it by a pronoun."""
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


def _finding(asked: AskedRelation, said: StatedInText, sentence: PassageSentence) -> TextFinding:
    ours = next((v for v in asked.values if _same(v, said.value)), None)
    if ours is not None:
        return TextFinding("agrees", ours.name, sentence.cited, READ, ours.node)
    return TextFinding("differs", said.value, sentence.cited, READ, 0)


def _same(value: ComparedValue, text: str) -> bool:
    if value.day is not None:
        return any(same_day(d, value.day) for d, _ in dates_in(text))
    if value.number is not None:
        return any(same_number(n, value.number) for n, _ in numbers_in(text))
    return value.naming.is_name(text) or value.naming.whole(text, flat(text)) is not None

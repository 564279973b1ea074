"""Answer from stored pages if the graph has no answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, Exploration
from hydra_kg.questions.coverage import noun_asked
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.nouns import fit, kinds_of_thing
from hydra_kg.steps.reading.read import PHASE, PageReading, fold_key, read_pages, says
from hydra_kg.steps.retrieval.entity_types import gender_of
from hydra_kg.strategies.base import Outcome

_DEFINES: Final = "is"
"""Relation between a page's subject and what the page says that it is."""

_SOMEBODY: Final = frozenset({"person", "group"})

_NAMESAKES: Final = 3
"""Most things with the name of a value whose kinds are looked up."""


def answer_from_pages(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome, or the answer of a sentence if nothing sufficed and no model reads.

    The page is asked first if only texts know the name.
    """
    if context.agent.reads or not context.settings.answering.read or "wiki" not in context.kinds:
        return outcome
    alone = outcome.judgement.sufficient and _text_alone(outcome)
    if outcome.judgement.sufficient and not alone:
        return outcome
    with context.phase(PHASE):
        found = read_pages(context, outcome.analysis, outcome.mentions)
        if found is not None and _defines_no_person(context, outcome.analysis, found):
            found = None
        found = _of_asked_kind(context, outcome.analysis, found) if found is not None else None
    if found is None:
        return _suppressed(context, outcome) if alone else outcome
    nodes = context.entities(outcome.analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(outcome.analysis.topics))
    counts = {"pages": found.pages, "sentences": found.sentences}
    evidence = found.conclusion.evidence
    exploration = Exploration(PHASE, topics, outcome.analysis.indicator, 1, counts, evidence)
    return replace(
        outcome,
        conclusion=found.conclusion,
        judgement=found.judgement,
        explorations=(*outcome.explorations, exploration),
        read=True,
        planned=False,
        steps=(),
        unchecked=(),
    )


def _defines_no_person(context: Context, analysis: Analysis, found: PageReading) -> bool:
    """Return True if "who" is answered by the definition of an office or thing: "the head of state of France"."""
    relations = {e.path.hops[-1].predicate for e in found.conclusion.evidence}
    if analysis.answer_type != "person" or relations != {_DEFINES}:
        return False
    kinds = [kinds_of_thing(entity) for entity in context.entities(list(set(analysis.topics))).values()]
    return all(each and not each & _SOMEBODY for each in kinds)


def _of_asked_kind(context: Context, analysis: Analysis, found: PageReading) -> PageReading | None:
    """Drop names of other kinds, and values worded for the other gender."""
    noun = noun_asked(analysis)
    end = found.conclusion
    if not noun or not end.answers:
        return found
    hits = context.snapshot.find([a.name for a in end.answers], limit=_NAMESAKES)
    other = set()
    for value, called in zip(end.answers, hits, strict=True):
        fits = fit(context, np.array([h.node for h in called], np.int64), noun)
        if fits is not None and fits.other.any() and not fits.right.any():
            other.add(fold_key(value))
    asked = gender_of(noun)
    said = {e.answers[0].name.casefold(): gender_of(e.path.hops[-1].text) for e in end.evidence}
    other |= {name for name, gender in said.items() if asked and gender and gender != asked}  # "his father Philip II"
    values = tuple(a for a in end.answers if fold_key(a) not in other)
    evidence = tuple(e for e in end.evidence if e.answers[0].name.casefold() not in other)
    return replace(found, conclusion=replace(end, answers=values, evidence=evidence)) if values else None


def _text_alone(outcome: Outcome) -> bool:
    """Return whether the question is about one thing and all facts that were found are from texts."""
    paths = [e.path for x in outcome.explorations for e in x.evidence]
    paths += [e.path for e in outcome.conclusion.evidence]
    facts = [f for p in paths for h in p.hops for f in h.facts]
    return len(set(outcome.analysis.topics)) == 1 and all(f.source.kind == "wiki" for f in facts)


def _suppressed(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome, without an answer if its relation or sentence does not say what is asked."""
    first = outcome.conclusion.evidence[:1]
    relations = [e.sentence or e.path.hops[-1].text for e in first if e.sentence or e.path.hops]
    if relations and all(says(context.question, outcome.mentions, relation) for relation in relations):
        return outcome
    return replace(outcome, judgement=replace(outcome.judgement, sufficient=False, confidence=0.0))

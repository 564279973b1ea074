"""Checks that sources state what a model names as an answer to the question, not merely that a path leads to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from hydra_kg.domain import Analysis, Evidence
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.verification.verify import label
from hydra_kg.text.folding import fold

_STATED_RELEVANCE: Final = 0.1  # relevance from which a path may state what the model answers at all
_STATED_SHARE: Final = 0.5  # the same as a share of the best path's relevance, 0 to 1; the larger one counts


def stated(analysis: Analysis, found: Conclusion, explored: Iterable[Evidence], *, names: Collection[str]) -> bool:
    """Return True if some evidence states the first answer and the answer fits the question.

    A path states it if its relevance is at least ``_STATED_SHARE`` of the best path's. A passage states it if it has
    the answer's name together with an entity of the question; for a date or number, its page must be about that entity.
    A count needs no more than any evidence. A yes or no needs a path of one hop between the topics, or a passage that
    has all ``names``.
    """
    if not found.answers or label(found.kinds) == "llm":
        return False
    first = found.answers[0]
    if analysis.kind == "count":
        return True
    if analysis.answer_type in {"date", "number"} and first.node is not None and first.value is None:
        return False
    every = [e for e in (*explored, *found.evidence) if e.path.checked]
    best = max((e.scores.relevance for e in every if e.path.hops), default=0.0)
    least = max(_STATED_RELEVANCE, _STATED_SHARE * best)
    if analysis.kind == "boolean":
        return any(_joins(e, frozenset(analysis.topics), names, least) for e in every)
    facts = (n.id for e in every if e.path.passage is None for n in e.path.entities)
    known = {*analysis.topics, *facts} if analysis.topics else set[int]()
    measured = analysis.answer_type in {"date", "number"}
    own = [e for e in found.evidence if e.path.checked]
    return any(_states(e, fold(first.name), least, known, measured=measured) for e in own)


def _joins(evidence: Evidence, topics: frozenset[int], names: Collection[str], least: float) -> bool:
    if (passage := evidence.path.passage) is not None:
        text = f" {fold(passage.title)} {fold(passage.text)} "
        return all(f" {fold(name)} " in text for name in names)
    joined = len(topics) > 1 and topics <= {n.id for n in evidence.path.entities}
    return joined and len(evidence.path.hops) == 1 and evidence.scores.relevance >= least


def _states(evidence: Evidence, name: str, least: float, known: Collection[int], *, measured: bool) -> bool:
    passage = evidence.path.passage
    if passage is not None and f" {name} " in f" {fold(passage.title)} {fold(passage.text)} ":
        others = () if measured else (n.id for n in evidence.path.entities if fold(n.name) != name)
        about = {passage.node, *others}
        return not (known and evidence.path.hops) or not about.isdisjoint(known)
    leads = any(fold(node.name) == name for node in (*evidence.answers, *evidence.path.entities))
    return bool(evidence.path.hops) and leads and evidence.scores.relevance >= least

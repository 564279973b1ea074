"""Deduced answers: how many there are, whether what the question names is among them, whether a claim is true."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from hydra_kg.domain import Analysis, AnswerValue, Path
from hydra_kg.extract.word_classes import BE
from hydra_kg.fusion.conflicts.conflict import WITHIN
from hydra_kg.language.adjectives import graded_adjectives
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.own_graphs.relation_roles import (
    contradicts_direction,
    contradicts_type,
    plain_question,
    states_converse,
)
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.literals import literal_kind

Truth = Literal["true", "false", "unknown"]

SHOWN = 5
_HOLDS: Final = "contains"
_IN: Final = "in"
_OF: Final = "of"
_DATE: Final = re.compile(r"[0-9]{4}(-.*)?")


def deduced(analysis: Analysis, conclusion: Conclusion, *, most: int) -> Conclusion:
    """Deduce a count, a year, or yes or no from the answers found.

    A count is the number of entities; a number that is stated stays as it is. A year is taken from dates. The answer to
    a yes-or-no question is ``yes`` if an answer is a topic. It is ``no`` if there is exactly one other answer, one hop
    away, that the question does not name. Otherwise there is no answer. ``most`` is the number of answers that were
    looked for: a count that reaches it is only a lower bound.
    """
    if analysis.answer_noun.endswith("year"):
        return _years(conclusion)
    named = [a.name for a in conclusion.answers if a.node is not None]
    if analysis.kind == "count" and named:
        more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
        least = "at least " if len(named) >= most else ""
        if least and not {a.superlative for a in graded_adjectives()}.isdisjoint(tokens(analysis.question)):
            return replace(conclusion, answers=())  # how many have the highest value: not all that there are
        words = f"{least}{len(named)} counted: {', '.join(named[:SHOWN])}{more}"
        return _as(conclusion, f"{least}{len(named)}", f'"{len(named)}"^^xsd:integer', words)
    if analysis.kind == "boolean" and named:
        asked = {a.name for a in conclusion.answers if a.node is not None and a.node.id in analysis.topics}
        path = conclusion.evidence[0].path.text
        if asked and not _is_other_end(analysis.question, conclusion.evidence[0].path):
            return _as(conclusion, "yes", '"true"^^xsd:boolean', f"stated: {path}")
        if len(named) == 1 and len(conclusion.evidence[0].path.hops) == 1 and not _says(analysis.question, named[0]):
            return _as(conclusion, "no", '"false"^^xsd:boolean', f"stated otherwise: {path}")
        return replace(conclusion, answers=())
    return conclusion


def _is_other_end(question: str, path: Path) -> bool:
    """Return True if a path of one hop states the converse: "Does Bo manage Ida?" where Bo's manager is Ida."""
    if len(path.hops) != 1:
        return False
    hop, said = path.hops[0], plain_question(question)
    if states_converse(question, hop):
        return True
    named = fold(hop.subject.name) in said
    phrase = said.replace(fold(hop.subject.name if named else hop.object.name), "_")
    if not named:
        return _is_turned_round(phrase, hop.text.split(), named=False)
    against = contradicts_direction(phrase, hop.text) or contradicts_type(phrase, hop.predicate)
    return against or _is_turned_round(phrase, hop.text.split())


def _is_turned_round(phrase: str, relation: Sequence[str], *, named: bool = True) -> bool:
    """Return True if a phrase says of one end what a relation says of the other: "France is the capital of Paris".

    ``named``: whether "_" is the subject of the relation, not its object.
    """
    words, text = phrase.split(), " ".join(relation)
    at = words.index("_") if "_" in words else len(words)
    before, after = [w for w in words[:at] if w not in ARTICLES], [w for w in words[at + 1 :] if w not in ARTICLES | BE]
    up = any(text.endswith(way) for way in WITHIN)
    if up or relation[-1] == _HOLDS:
        return (before[-1:] == [_IN] and not BE.isdisjoint(before)) if up == named else after[:1] == [_IN]
    inverse = relation[-1] == _OF
    noun = relation[-2:-1] if inverse else relation[-1:]
    return named and (before[-2:] == [*noun, _OF] if inverse else after[:2] == [*noun, _OF])


def _says(question: str, name: str) -> bool:
    """Return True if a question says a word of a name."""
    return not set(tokens(fold(question))).isdisjoint(tokens(fold(name)))


def truth(analysis: Analysis, answers: Sequence[AnswerValue]) -> Truth | None:
    """Return the truth of a claim by its answers (FEVER, Creak).

    Without answers it is unknown. Returns None if the question is no claim.
    """
    if analysis.answer_type != "claim":
        return None
    first = fold(answers[0].name) if answers else ""
    return "true" if first in {"yes", "true"} else "false" if first in {"no", "false"} else "unknown"


def _years(conclusion: Conclusion) -> Conclusion:
    """Return dates as distinct years, so that sources that differ only in the day agree."""
    if not all(map(_is_date, conclusion.answers)):
        return conclusion
    found: dict[str, AnswerValue] = {}
    for a in conclusion.answers:
        found.setdefault(a.name[:4], replace(a, name=a.name[:4]))
    answers = tuple(found.values())
    if answers == conclusion.answers:
        return conclusion
    counted = replace(conclusion, answers=answers, computation=f"the year of {conclusion.answers[0].name}")
    return counted if len(answers) > 1 else replace(counted, opposing={}, dissent=(), sentence="")


def _is_date(answer: AnswerValue) -> bool:
    return literal_kind(answer.value or "") == "date" and _DATE.fullmatch(answer.name) is not None


def _as(conclusion: Conclusion, name: str, value: str, words: str) -> Conclusion:
    score = conclusion.answers[0].score
    return replace(conclusion, answers=(AnswerValue(name, None, value, (), score),), computation=words)

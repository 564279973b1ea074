"""Deduced answers: how many there are, and whether what the question names is among them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, AnswerValue
from hydra_kg.steps.answering.conclude import Conclusion
from hydra_kg.text.literals import literal_kind

SHOWN = 5
_DATE: Final = re.compile(r"[0-9]{4}(-.*)?")


def deduced(analysis: Analysis, conclusion: Conclusion, *, most: int) -> Conclusion:
    """The conclusion, or for a question of how many or whether, what follows from its answers, and from what.

    ``count``: the number of entities; a stated number stays. ``boolean``: ``yes`` if an answer is a topic; ``no`` if
    the one answer is another; else none, because what is not stated may still be so. Where a year is asked for, that of
    each date. ``most``: answers that are looked for.
    """
    if analysis.answer_noun.endswith("year"):
        return _years(conclusion)
    named = [a.name for a in conclusion.answers if a.node is not None]
    if analysis.kind == "count" and named:
        more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
        least = "at least " if len(named) >= most else ""
        words = f"{least}{len(named)} counted: {', '.join(named[:SHOWN])}{more}"
        return _as(conclusion, f"{least}{len(named)}", f'"{len(named)}"^^xsd:integer', words)
    if analysis.kind == "boolean" and named:
        asked = {a.name for a in conclusion.answers if a.node is not None and a.node.id in analysis.topics}
        path = conclusion.evidence[0].path.text
        if asked:
            return _as(conclusion, "yes", '"true"^^xsd:boolean', f"stated: {path}")
        if len(named) == 1:
            return _as(conclusion, "no", '"false"^^xsd:boolean', f"stated otherwise: {path}")
        return replace(conclusion, answers=())
    return conclusion


def _years(conclusion: Conclusion) -> Conclusion:
    """Dates as their years, each once; sources that differ in the day alone then say the same."""
    if not all(map(_is_date, conclusion.answers)):
        return conclusion
    found: dict[str, AnswerValue] = {}
    for a in conclusion.answers:
        found.setdefault(a.name[:4], replace(a, name=a.name[:4]))
    answers = tuple(found.values())
    if answers == conclusion.answers:
        return conclusion
    said = replace(conclusion, answers=answers, computation=f"the year of {conclusion.answers[0].name}")
    return said if len(answers) > 1 else replace(said, opposing={}, dissent=(), sentence="")


def _is_date(answer: AnswerValue) -> bool:
    return literal_kind(answer.value or "") == "date" and _DATE.fullmatch(answer.name) is not None


def _as(conclusion: Conclusion, name: str, value: str, words: str) -> Conclusion:
    score = conclusion.answers[0].score
    return replace(conclusion, answers=(AnswerValue(name, None, value, (), score),), computation=words)

"""Scores of one answer against gold: strict Hits@1, precision, recall, F1 over sets, and the papers' lenient match."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hydra_kg.evaluate.scoring.gold_comparison import fits, lexical
from hydra_kg.fusion.normalisation.dates import moment
from hydra_kg.text.folding import fold

Gold = Sequence[Mapping[str, Any]]
METRICS: Final = ("hits1", "precision", "recall", "f1", "recall_at_5", "paper_match", "answered")

_DAY: Final = re.compile(
    r"\d{1,2} [A-Z][a-z]{2,8},? \d{4}|[A-Z][a-z]{2,8} \d{1,2}, ?\d{4}|\+?\d{4}-\d\d-\d\d(?:T00:00:00Z)?", re.ASCII
)
"""A day as people and data write it; a month is never a number among other numbers."""

# The same truth value in the words of the sets (FEVER, CREAK, yes/no questions).
_CLAIMS: Final = {
    "true": "true",
    "yes": "true",
    "supports": "true",
    "supported": "true",
    "false": "false",
    "no": "false",
    "refutes": "false",
    "refuted": "false",
    "unknown": "unknown",
    "not enough info": "unknown",
}


def score(answer: Mapping[str, Any], gold: Gold) -> dict[str, float]:
    """Return all metrics of one answer (``ask --json`` form), each in [0, 1].

    * ``hits1``: the first answer is a gold answer. ``precision``: share of the answers that are gold answers.
      ``recall``: share of the gold answers that were given. ``f1``: their harmonic mean.
      ``recall_at_5``: recall of the first five answers (MultiRAG Table IV).
    * ``paper_match``: what the published evaluation scripts call exact match: lower-cased without spaces, the
      answer's text contains a gold name or is contained in one; an empty answer is wrong.
    * ``answered``: 1 unless the answer is "no answer in these sources".

    If a question has no gold answer, an abstention scores 1 and anything else 0 (as in WebQSP's own script), but
    ``paper_match`` is 0 either way. A failed question (``error``) scores 0 in all metrics.
    """
    if answer.get("error"):
        return dict.fromkeys(METRICS, 0.0)
    answers = answers_to_score(answer)
    answered = float(bool(answers))
    if not gold:
        return {**dict.fromkeys(METRICS, 1.0 - answered), "paper_match": 0.0, "answered": answered}
    right = [any(matches(a, g) for g in gold) for a in answers]
    found = [any(matches(a, g) for a in answers) for g in gold]
    precision = sum(right) / len(right) if right else 0.0
    recall = sum(found) / len(found)
    return {
        "hits1": float(bool(right) and right[0]),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "recall_at_5": sum(any(matches(a, g) for a in answers[:5]) for g in gold) / len(gold),
        "paper_match": float(bool(answers) and paper_match(str(answer.get("answer_text") or ""), answers, gold)),
        "answered": answered,
    }


def is_claim(gold: Gold | None) -> bool:
    """Return True if the gold answer is a truth value: true, false, yes, no, SUPPORTS, REFUTES, NOT ENOUGH INFO."""
    return bool(gold) and len(gold or ()) == 1 and fold(str((gold or ())[0].get("name") or "")) in _CLAIMS


def truth_value(answer: object) -> str:
    """Return "true", "false" or "unknown" for a truth value in the words of any set, or ""."""
    return _CLAIMS.get(fold(str(answer)), "") if answer is not None else ""


def claim_right(answer: Mapping[str, Any], gold: Gold) -> float:
    """Return 1 if the truth value (``claim``, else the first answer) is gold: ToG-2's accuracy for FEVER and Creak."""
    if answer.get("error"):
        return 0.0
    answered = answer.get("claim") or next((a.get("name") for a in answer.get("answers") or ()), None)
    return float(answered is not None and _CLAIMS.get(fold(str(answered))) == _CLAIMS[fold(str(gold[0]["name"]))])


def score_refusal(answer: Mapping[str, Any]) -> float:
    """Return 1 if the answer was "no answer in these sources"; a failed question did not refuse."""
    return float(not answer.get("error") and not answers_to_score(answer))


def answers_to_score(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the answers to score, best first; the truth value of a claim is its only answer."""
    if answer.get("abstained"):
        return []
    if claim := answer.get("claim"):
        return [{"id": None, "name": str(claim), "ids": []}]
    return list(answer.get("answers") or ())


def matches(answer: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    """Return True if an answer is this gold answer, strictly.

    - A gold answer of the plain layout, which has ``ids``, matches as ``fits`` says.
    - A gold answer with an id matches if the id is among the answer's ids (all members of its same-as class). An answer
      without ids, from text, may match by name.
    - A gold answer without an id matches by one of its ``candidate_ids`` or by name: folded text equal to its name or
      an alias, the same day ("12 June 1516" for 1516-06-12), or the same truth value.
    """
    if "ids" in gold:
        return fits(answer, gold)
    ids = set(answer.get("ids") or ()) | ({answer["id"]} if answer.get("id") else set())
    if gold.get("id"):
        return gold["id"] in ids if ids else _same_name(answer, gold)
    return bool(ids.intersection(gold.get("candidate_ids") or ())) or _same_name(answer, gold)


def paper_match(text: str, answers: Sequence[Mapping[str, Any]], gold: Gold) -> bool:
    """Return True if reply and gold contain one another, as the published scripts test it.

    The names of the answers replace an empty text.
    """
    reply = _squeezed(text) or _squeezed(", ".join(str(a.get("name") or "") for a in answers))
    names = (_squeezed(str(g.get("name") or "")) for g in gold)
    return bool(reply) and any(n and (n in reply or reply in n) for n in names)


def _same_name(answer: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    wanted = {_name(n) for n in (gold.get("name"), *(gold.get("aliases") or ())) if n}
    value = lexical(str(answer.get("value") or ""))
    offered = {_name(n) for n in (answer.get("name"), value, *(answer.get("aliases") or ())) if n}
    return bool((wanted & offered) - {""})


def _name(text: object) -> str:
    text_form = str(text).strip()
    if _DAY.fullmatch(text_form):
        read = moment(text_form.removesuffix("T00:00:00Z").lstrip("+"))
        if min(read.day, read.year) >= 0:  # else the 31st of February
            return f"{read.year} {read.day}"
    folded = fold(text_form)
    return _CLAIMS.get(folded, folded)


def _squeezed(text: str) -> str:
    return "".join(text.lower().split())

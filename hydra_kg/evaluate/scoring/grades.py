"""The grade of an answer (right, partly, wrong or silent), and how grades relate to verdict and confidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from hydra_kg.citations import SURE, how_sure
from hydra_kg.evaluate.scoring.gold_comparison import fits
from hydra_kg.evaluate.scoring.metrics import answers_to_score, score, truth_value
from hydra_kg.text.folding import fold

Record = Mapping[str, Any]
Graded = Sequence[tuple[Record, str]]

GRADES: Final = ("right", "partly", "wrong", "silent")

_TRUTHS: Final = {"yes": "true", "true": "true", "no": "false", "false": "false"}
_NOBODY: Final = frozenset({"none", "nobody", "no one", "nothing", "0"})
_CAVEAT: Final = re.compile(
    r"not used|unused|ignor|left out|not applied|could not (be )?appl|without (the )?condition", re.IGNORECASE
)
"""Wordings of a remark that a condition of the question was not used in the answer."""


def grade(record: Record) -> str:
    """Return one of ``GRADES`` for a saved answer with its gold. A failed question is ``silent``.

    In the plain layout (``expected`` in the record) an answer is

    - right if all gold answers and nothing else were given;
    - partly right if only some of a list of gold answers were given, or only answers that are neither asked for nor
      wrong (``also``);
    - wrong if anything else was given.

    Other sets have less complete lists of gold answers. There an answer is right if it has all of them and nothing else
    (F1 = 1), partly right if at least the first answer is one (Hits@1 = 1), otherwise wrong. If no answer is known, or
    gold is "not enough information", silence is right.
    """
    if record.get("error"):
        return "silent"
    silent = is_silent(record)
    if expects_silence(record):
        return "right" if silent or _is_excused(record) else "wrong"
    if silent:
        return "silent"
    if expected := record.get("expected"):
        if expected["expect"] in _TRUTHS:
            return "right" if _answered_truth(record) == _TRUTHS[expected["expect"]] else "wrong"
        return _grade_answers(record["answers"], record["gold"], expected)
    scores = score(record, record["gold"])
    return "right" if scores["f1"] == 1 else "partly" if scores["hits1"] else "wrong"


def is_silent(record: Record) -> bool:
    """Return True if no answer was given: abstained, failed, or "unknown"; ``perhaps`` is no answer."""
    return bool(record.get("error")) or not answers_to_score(record) or truth_value(record.get("claim")) == "unknown"


def expects_silence(record: Record) -> bool:
    """Return True if the question has no answer in the sources, or the set knows none."""
    if expected := record.get("expected"):
        return expected["expect"] in {"silent", "unknown"}
    gold = record.get("gold") or ()
    return not gold or (len(gold) == 1 and truth_value(gold[0].get("name")) == "unknown")


def is_sure(record: Record) -> bool:
    """Return True if the confidence is at least ``SURE``, so that ``ask`` prints "sure"."""
    return _confidence(record) >= SURE


def grade_counts(records: Sequence[Record]) -> dict[str, Any]:
    """Return counts of answers by grade.

    - ``all``: all answers.
    - ``expected``: by whether an answer or silence is expected.
    - ``kinds``: by kind of question.
    - ``given``, ``verdicts``, ``confidence``: only given answers, with precision; in all, by verdict, and by confidence
      (``how_sure``).
    """
    graded = [(r, grade(r)) for r in records]
    offered = [(r, g) for r, g in graded if not is_silent(r)]
    kinds = [(r, g) for r, g in graded if r.get("expected")]
    return {
        "all": _counts(graded),
        "expected": _grade_groups(graded, lambda r: "silence" if expects_silence(r) else "an answer", _counts),
        "kinds": _grade_groups(kinds, lambda r: str(r["expected"]["kind"]), _counts),
        "given": _precision(offered),
        "verdicts": _grade_groups(offered, lambda r: str(r.get("verdict") or "none"), _precision),
        "confidence": _grade_groups(offered, lambda r: how_sure(_confidence(r)), _precision),
    }


def _confidence(record: Record) -> float:
    return float(record.get("confidence") or 0)


def _grade_groups(
    graded: Graded, of: Callable[[Record], str], make: Callable[[Graded], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[tuple[Record, str]]] = {}
    for r, g in graded:
        groups.setdefault(of(r), []).append((r, g))
    return {key: make(groups[key]) for key in sorted(groups)}


def _counts(graded: Graded) -> dict[str, Any]:
    found = Counter(g for _, g in graded)
    return {"n": len(graded), **{g: found[g] for g in GRADES}}


def _precision(graded: Graded) -> dict[str, Any]:
    """Return counts of given answers and their precision, (right + partly) / given.

    ``wrong_sure`` is the number of wrong answers that were sure.
    """
    found = Counter(g for _, g in graded)
    return {
        "n": len(graded),
        **{g: found[g] for g in GRADES[:3]},
        "wrong_sure": sum(g == "wrong" and is_sure(r) for r, g in graded),
        "precision": round((found["right"] + found["partly"]) / len(graded), 6) if graded else None,
    }


def _is_excused(record: Record) -> bool:
    """Return True if an answer given in place of silence is excusable.

    It is if it is stated (``also``), if it is a negation, or if a remark names the unused condition.
    """
    if not (expected := record.get("expected")):
        return False
    answers = record.get("answers") or ()
    also = expected.get("also") or ()
    if also and all(_any_fits(a, also) for a in answers):
        return True
    if expected["kind"] == "negation" and all(fold(str(a.get("name") or "")) in _NOBODY for a in answers):
        return True
    remarks: Iterable[object] = (record.get("missing") or "", *(record.get("notes") or ()))
    return bool(record.get("unchecked")) or bool(_CAVEAT.search(" ".join(map(str, remarks))))


def _answered_truth(record: Record) -> str:
    """Return "true", "false" or "": the claim's truth value, else the one that all answers share."""
    if claim := truth_value(record.get("claim")):
        return claim
    truths = {truth_value(a.get("name")) for a in record.get("answers") or ()}
    return truths.pop() if len(truths) == 1 else ""


def _grade_answers(
    answers: Sequence[Mapping[str, Any]], gold: Sequence[Mapping[str, Any]], expected: Mapping[str, Any]
) -> str:
    """Return "right", "partly" or "wrong" for a list of answers."""
    also = expected.get("also") or ()
    found = sum(any(fits(a, g) for a in answers) for g in gold)
    if not all(_any_fits(a, (*gold, *also)) for a in answers):
        return "wrong"
    if found == len(gold):
        return "right"
    return "partly" if not found or expected.get("partial_ok") else "wrong"


def _any_fits(answer: Mapping[str, Any], gold: Iterable[Mapping[str, Any]]) -> bool:
    return any(fits(answer, g) for g in gold)

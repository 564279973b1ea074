"""Statistics of question sets: number of questions, kinds of answers, topics, queries and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.questions.gold_queries import relations_of
from hydra_kg.evaluate.scoring.gold_comparison import read_date, read_number
from hydra_kg.evaluate.scoring.metrics import is_claim

KINDS: Final = ("Entity", "Number", "Date", "Text", "Truth value")


def describe_set(name: str, questions: Sequence[Question]) -> dict[str, Any]:
    """Return the statistics of one set (HydraRAG Table 10, PoG Table 9).

    ``kinds`` counts the kinds of answers. ``answers`` and ``relations`` are means.
    """
    golds = [q.gold for q in questions if q.gold]
    found = Counter(kind for gold in golds for kind in {kind_of(a, gold) for a in gold})
    lengths = [len(chain) for q in questions if (chain := relations_of(q.query) or q.relations)]
    return {
        "set": name,
        "questions": len(questions),
        "gold": len(golds),
        "answers": sum(map(len, golds)) / len(golds) if golds else None,
        "kinds": {kind: found[kind] for kind in sorted(found, key=lambda k: (-found[k], KINDS.index(k)))},
        "single_topic": sum(len(q.topics) == 1 for q in questions),
        "multi_topic": sum(len(q.topics) > 1 for q in questions),
        "queries": sum(bool(q.query) for q in questions),
        "relations": sum(lengths) / len(lengths) if lengths else None,
    }


def kind_of(answer: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> str:
    """Return one of ``KINDS``; an entity has an id, or ids that it may have."""
    if any(answer.get(name) for name in ("id", "ids", "candidate_ids")):
        return "Entity"
    if is_claim(gold):
        return "Truth value"
    name = str(answer.get("name") or "")
    if read_number(name) is not None and not (len(name) == 4 and name.isdigit()):
        return "Number"
    return "Date" if read_date(name) is not None else "Text"
